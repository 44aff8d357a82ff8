// metal_stub_texture: textures of two dimensions, whose pixels are read and written (MSL 6.12), by the executor's
// functions; what samples them is not here.
#ifndef METAL_STUB_TEXTURE_H
#define METAL_STUB_TEXTURE_H
namespace metal {
  enum class access { sample, read, write, read_write };
  template <typename T, access how = access::sample> struct texture2d {
    enum { writes = how == access::write || how == access::read_write, reads = how != access::write };
    const metal_picture *picture;
    uint get_width(uint = 0) const { return METAL_HOOK(picture_size)(picture, 0); }
    uint get_height(uint = 0) const { return METAL_HOOK(picture_size)(picture, 1); }
    vec<T, 4> read(uint2 at, uint = 0, int line = __builtin_LINE()) const {
      static_assert(reads, "the texture is written only");
      float4 v;
      METAL_HOOK(picture_access)(picture, at.x, at.y, v.at, 0, line);
      return vec<T, 4>(v);
    }
    void write(vec<T, 4> color, uint2 at, uint = 0, int line = __builtin_LINE()) const {
      static_assert(writes, "the texture is read only");
      float4 v = float4(color);
      METAL_HOOK(picture_access)(picture, at.x, at.y, v.at, 1, line);
    }
    vec<T, 4> read(ushort2 at, uint lod = 0, int line = __builtin_LINE()) const { return read(uint2(at), lod, line); }
    void write(vec<T, 4> color, ushort2 at, uint lod = 0, int line = __builtin_LINE()) const {
      write(color, uint2(at), lod, line);
    }
  };
}
#endif
