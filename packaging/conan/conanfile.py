"""Conan 2: conan create packaging/conan"""
import os

from conan import ConanFile
from conan.tools.cmake import CMake, cmake_layout
from conan.tools.files import copy


class Tiny(ConanFile):
    name = "tiny"
    version = "0.1.0"
    license = "MIT"
    description = "A tensor compiler in one C header"
    settings = "os", "compiler", "build_type", "arch"
    options = {"shared": [True, False]}                    # always position independent
    default_options = {"shared": False}
    generators = "CMakeToolchain", "CMakeDeps"

    def export_sources(self):
        root = os.path.join(self.recipe_folder, "..", "..")
        for name in ("tiny.h", "tiny.hpp", "tiny_cl.h", "tiny_cuda.h", "tiny_nv.h", "tiny_amd.h", "tiny_metal.h", "tiny_metal.m", "tiny.c", "CMakeLists.txt", "LICENSE", "packaging/tiny.pc.in"):
            copy(self, name, root, self.export_sources_folder)

    def configure(self):
        self.settings.rm_safe("compiler.cppstd")
        self.settings.rm_safe("compiler.libcxx")

    def layout(self):
        cmake_layout(self)

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        CMake(self).install()

    def package_info(self):
        self.cpp_info.libs = ["tiny"]
        self.cpp_info.set_property("cmake_target_name", "tiny::tiny")
        if self.options.shared:
            self.cpp_info.defines = ["TINY_DLL"]
        if self.settings.os != "Windows":
            self.cpp_info.system_libs = ["m", "pthread"]
