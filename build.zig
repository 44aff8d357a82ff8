// tiny.h in projects of Zig 0.14 or later: a dependency in build.zig.zon, then
//   exe.linkLibrary(b.dependency("tiny", .{ .target = target, .optimize = optimize }).artifact("tiny"));
const std = @import("std");

pub fn build(b: *std.Build) void {
    const module = b.createModule(.{
        .target = b.standardTargetOptions(.{}),
        .optimize = b.standardOptimizeOption(.{}),
        .link_libc = true,
    });
    module.addCSourceFile(.{ .file = b.path("tiny.c"), .flags = &.{"-std=c11"} });
    const library = b.addLibrary(.{ .name = "tiny", .linkage = .static, .root_module = module });
    library.installHeader(b.path("tiny.h"), "tiny.h");
    library.installHeader(b.path("tiny.hpp"), "tiny.hpp");
    library.installHeader(b.path("tiny_cl.h"), "tiny_cl.h");
    library.installHeader(b.path("tiny_cuda.h"), "tiny_cuda.h");
    library.installHeader(b.path("tiny_nv.h"), "tiny_nv.h");
    library.installHeader(b.path("tiny_amd.h"), "tiny_amd.h");
    library.installHeader(b.path("tiny_metal.h"), "tiny_metal.h");
    library.installHeader(b.path("tiny_metal.m"), "tiny_metal.m");
    b.installArtifact(library);
}
