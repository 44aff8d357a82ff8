// == elementwise
fn infinity() -> f32 { let bits = 0x7F800000u; return bitcast<f32>(bits); }
fn not_a_number() -> f32 { let bits = 0x7FC00000u; return bitcast<f32>(bits); }
@group(0) @binding(0) var<storage, read_write> p0: array<f32>;
@group(0) @binding(2) var<storage, read_write> p2: array<f32>;
@group(0) @binding(1) var<storage, read_write> p1: array<f32>;
@compute @workgroup_size(12, 10, 1)
fn E_10_12_8f82dcbf(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
  let x0: i32 = i32(item[0]);
  let x1: i32 = ((i32(item[1])) * 12i) + x0;
  let v2: f32 = p2[x0];
  let v3: f32 = p1[x1];
  let x4: f32 = v2 + v3;
  p0[x1] = (select(x4, 0x0p+0f, (x4 < 0x0p+0f)));
}
// == padded
fn infinity() -> f32 { let bits = 0x7F800000u; return bitcast<f32>(bits); }
fn not_a_number() -> f32 { let bits = 0x7FC00000u; return bitcast<f32>(bits); }
@group(0) @binding(0) var<storage, read_write> p0: array<f32>;
@group(0) @binding(1) var<storage, read_write> p1: array<f32>;
@compute @workgroup_size(16, 13, 1)
fn E_13_16_916e71da(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
  let x0: i32 = i32(item[1]);
  let x1: i32 = i32(item[0]);
  let x2: i32 = (x0 * 16i) + x1;
  let x3: bool = ((x1 < 12i) & (0i < x0)) & (x0 < 11i);
  let x4: i32 = ((x0 * 12i) + x1) + (-12i);
  let v5: f32 = select(0x0p+0f, p1[x4], x3);
  p0[x2] = (select((-0x1p+0f), v5, x3));
}
// == functions
fn infinity() -> f32 { let bits = 0x7F800000u; return bitcast<f32>(bits); }
fn not_a_number() -> f32 { let bits = 0x7FC00000u; return bitcast<f32>(bits); }
@group(0) @binding(0) var<storage, read_write> p0: array<f32>;
@group(0) @binding(1) var<storage, read_write> p1: array<f32>;
@compute @workgroup_size(50, 1, 1)
fn E_100_2f349709(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
  let x0: i32 = ((i32(group[0])) * 50i) + (i32(item[0]));
  let v1: f32 = p1[x0];
  p0[x0] = ((((trunc(v1)) + (sqrt(v1))) + (sin(v1))) + (((log2(v1)) * 0x1.62e43p-1f) + (exp2((v1 * 0x1.715476p+0f)))));
}
// == chosen
fn infinity() -> f32 { let bits = 0x7F800000u; return bitcast<f32>(bits); }
fn not_a_number() -> f32 { let bits = 0x7FC00000u; return bitcast<f32>(bits); }
@group(0) @binding(0) var<storage, read_write> p0: array<f32>;
@group(0) @binding(2) var<storage, read_write> p2: array<f32>;
@group(0) @binding(1) var<storage, read_write> p1: array<f32>;
@compute @workgroup_size(63, 1, 1)
fn E_7_9_3c8e60a0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
  let x0: i32 = i32(item[0]);
  let v1: f32 = p2[x0];
  let v2: f32 = p1[x0];
  p0[x0] = (select((v2 * (-0x1p+0f)), v1, ((v1 != v1) != (v1 < v2))));
}
// == integers
fn infinity() -> f32 { let bits = 0x7F800000u; return bitcast<f32>(bits); }
fn not_a_number() -> f32 { let bits = 0x7FC00000u; return bitcast<f32>(bits); }
@group(0) @binding(0) var<storage, read_write> p0: array<i32>;
@group(0) @binding(1) var<storage, read_write> p1: array<i32>;
@group(0) @binding(2) var<storage, read_write> p2: array<i32>;
@compute @workgroup_size(64, 1, 1)
fn E_65_91b89aaf(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
  let x0: i32 = ((i32(group[0])) * 64i) + (i32(item[0]));
  let x1: bool = x0 < 65i;
  let v2: i32 = select(0i, p1[x0], x1);
  let x3: i32 = v2 % 7i;
  let v4: i32 = select(0i, p2[x0], x1);
  let x5: bool = v4 != 0i;
  let x6: bool = v4 != (-1i);
  let x7: i32 = select(1i, v4, x6);
  let x8: i32 = select(1i, x7, (x7 != 0i));
  let x9: i32 = select(v2, (select(0i, (v2 % x8), x6)), x5);
  if (x1) { p0[x0] = ((((select(0i, 7i, (x3 < 0i))) + x3) + ((select(0i, (-1i), (((x9 != 0i) & ((x9 ^ v4) < 0i)) & x5))) + (select(0i, (select((v2 * (-1i)), (v2 / x8), x6)), x5)))) + ((v4 & v2) + (v4 * v2))); }
}
// == shifts
fn infinity() -> f32 { let bits = 0x7F800000u; return bitcast<f32>(bits); }
fn not_a_number() -> f32 { let bits = 0x7FC00000u; return bitcast<f32>(bits); }
@group(0) @binding(0) var<storage, read_write> p0: array<i32>;
@group(0) @binding(3) var<storage, read_write> p3: array<i32>;
@group(0) @binding(1) var<storage, read_write> p1: array<i32>;
@group(0) @binding(2) var<storage, read_write> p2: array<i32>;
@compute @workgroup_size(33, 1, 1)
fn E_33_0219ec3d(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
  let x0: i32 = i32(item[0]);
  let v1: i32 = p3[x0];
  let x2: i32 = v1 & 31i;
  let v3: i32 = p1[x0];
  let v4: i32 = p2[x0];
  p0[x0] = ((select((v3 << u32(x2)), 0i, (x2 != v1))) + (v4 >> u32(3i)));
}
// == least
fn infinity() -> f32 { let bits = 0x7F800000u; return bitcast<f32>(bits); }
fn not_a_number() -> f32 { let bits = 0x7FC00000u; return bitcast<f32>(bits); }
@group(0) @binding(0) var<storage, read_write> p0: array<i32>;
@group(0) @binding(1) var<storage, read_write> p1: array<i32>;
var<workgroup> local3: array<i32, 256>;
var<workgroup> local6: array<i32, 256>;
@compute @workgroup_size(64, 4, 1)
fn r_4_300_6460c578(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
  let x0: i32 = i32(item[1]);
  let x1: i32 = i32(item[0]);
  let x2: bool = x1 < 1i;
  let x4: i32 = x0 * 64i;
  let x5: i32 = x4 + x1;
  let x7: i32 = (x0 * 300i) + x1;
  let x8: i32 = x7 + 192i;
  let v9: i32 = p1[x8];
  let x10: i32 = x7 + 128i;
  let v11: i32 = p1[x10];
  let x12: i32 = select(v9, v11, (v9 < v11));
  let x13: i32 = x7 + 64i;
  let v14: i32 = p1[x13];
  let v15: i32 = p1[x7];
  let x16: i32 = select(v14, v15, (v14 < v15));
  let x17: i32 = select(x12, x16, (x12 < x16));
  let x18: bool = x1 < 44i;
  let x19: i32 = x7 + 256i;
  let v20: i32 = select(0i, p1[x19], x18);
  let x21: i32 = select((-2147483647i - 1), v20, x18);
  local6[x5] = (select(x17, x21, (x17 < x21)));
  workgroupBarrier();
  let x22: i32 = (x1 & 7i) + x4;
  let x23: i32 = x22 + 40i;
  let v24: i32 = local6[x23];
  let x25: i32 = x22 + 32i;
  let v26: i32 = local6[x25];
  let x27: i32 = select(v24, v26, (v24 < v26));
  let x28: i32 = x22 + 56i;
  let v29: i32 = local6[x28];
  let x30: i32 = x22 + 48i;
  let v31: i32 = local6[x30];
  let x32: i32 = select(v29, v31, (v29 < v31));
  let x33: i32 = select(x27, x32, (x27 < x32));
  let x34: i32 = x22 + 16i;
  let v35: i32 = local6[x34];
  let x36: i32 = x22 + 24i;
  let v37: i32 = local6[x36];
  let x38: i32 = select(v35, v37, (v35 < v37));
  let v39: i32 = local6[x22];
  let x40: i32 = x22 + 8i;
  let v41: i32 = local6[x40];
  let x42: i32 = select(v39, v41, (v39 < v41));
  let x43: i32 = select(x38, x42, (x38 < x42));
  local3[x5] = (select(x33, x43, (x33 < x43)));
  workgroupBarrier();
  let x44: i32 = x4 + 2i;
  let v45: i32 = local3[x44];
  let x46: i32 = x4 + 3i;
  let v47: i32 = local3[x46];
  let x48: i32 = select(v45, v47, (v45 < v47));
  let v49: i32 = local3[x4];
  let x50: i32 = x4 + 1i;
  let v51: i32 = local3[x50];
  let x52: i32 = select(v49, v51, (v49 < v51));
  let x53: i32 = select(x48, x52, (x48 < x52));
  let x54: i32 = x4 + 4i;
  let v55: i32 = local3[x54];
  let x56: i32 = x4 + 5i;
  let v57: i32 = local3[x56];
  let x58: i32 = select(v55, v57, (v55 < v57));
  let x59: i32 = x4 + 7i;
  let v60: i32 = local3[x59];
  let x61: i32 = x4 + 6i;
  let v62: i32 = local3[x61];
  let x63: i32 = select(v60, v62, (v60 < v62));
  let x64: i32 = select(x58, x63, (x58 < x63));
  if (x2) { p0[x0] = (select(x53, x64, (x53 < x64))); }
}
// == casts
fn infinity() -> f32 { let bits = 0x7F800000u; return bitcast<f32>(bits); }
fn not_a_number() -> f32 { let bits = 0x7FC00000u; return bitcast<f32>(bits); }
@group(0) @binding(0) var<storage, read_write> p0: array<i32>;
@group(0) @binding(1) var<storage, read_write> p1: array<i32>;
@group(0) @binding(2) var<storage, read_write> p2: array<f32>;
@compute @workgroup_size(31, 1, 1)
fn E_31_0f6c818e(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
  let x0: i32 = i32(item[0]);
  let v1: i32 = p1[x0];
  let v2: f32 = p2[x0];
  let x3: f32 = (f32(v1)) * v2;
  let x4: bool = ((x3 < (-0x1p+31f)) != bool(1)) & (x3 < 0x1p+31f);
  p0[x0] = (select((select((select(0i, (-2147483647i - 1), (x3 < 0x0p+0f))), 2147483647i, (0x0p+0f < x3))), (i32((select(0x0p+0f, x3, x4)))), x4));
}
// == sum
fn infinity() -> f32 { let bits = 0x7F800000u; return bitcast<f32>(bits); }
fn not_a_number() -> f32 { let bits = 0x7FC00000u; return bitcast<f32>(bits); }
@group(0) @binding(0) var<storage, read_write> p0: array<f32>;
@group(0) @binding(1) var<storage, read_write> p1: array<f32>;
var<workgroup> local5: array<f32, 192>;
var<workgroup> local8: array<f32, 192>;
@compute @workgroup_size(64, 3, 1)
fn r_6_480_b727b50a(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
  let x0: i32 = i32(group[0]);
  let x1: i32 = i32(item[1]);
  let x2: i32 = (x0 * 3i) + x1;
  let x3: i32 = i32(item[0]);
  let x4: bool = x3 < 1i;
  let x6: i32 = x1 * 64i;
  let x7: i32 = x6 + x3;
  let x9: i32 = ((x1 * 480i) + (x0 * 1440i)) + x3;
  let v10: f32 = p1[x9];
  let x11: i32 = x9 + 64i;
  let v12: f32 = p1[x11];
  let x13: i32 = x9 + 128i;
  let v14: f32 = p1[x13];
  let x15: i32 = x9 + 192i;
  let v16: f32 = p1[x15];
  let x17: i32 = x9 + 256i;
  let v18: f32 = p1[x17];
  let x19: i32 = x9 + 320i;
  let v20: f32 = p1[x19];
  let x21: i32 = x9 + 448i;
  let x22: bool = x3 < 32i;
  let v23: f32 = select(0x0p+0f, p1[x21], x22);
  let x24: i32 = x9 + 384i;
  let v25: f32 = p1[x24];
  local8[x7] = (((v10 + v12) + (v14 + v16)) + ((v18 + v20) + (v23 + v25)));
  workgroupBarrier();
  let x26: i32 = (x3 & 7i) + x6;
  let x27: i32 = x26 + 24i;
  let v28: f32 = local8[x27];
  let x29: i32 = x26 + 16i;
  let v30: f32 = local8[x29];
  let x31: i32 = x26 + 8i;
  let v32: f32 = local8[x31];
  let v33: f32 = local8[x26];
  let x34: i32 = x26 + 48i;
  let v35: f32 = local8[x34];
  let x36: i32 = x26 + 56i;
  let v37: f32 = local8[x36];
  let x38: i32 = x26 + 32i;
  let v39: f32 = local8[x38];
  let x40: i32 = x26 + 40i;
  let v41: f32 = local8[x40];
  local5[x7] = (((v28 + v30) + (v32 + v33)) + ((v35 + v37) + (v39 + v41)));
  workgroupBarrier();
  let x42: i32 = x6 + 4i;
  let v43: f32 = local5[x42];
  let x44: i32 = x6 + 5i;
  let v45: f32 = local5[x44];
  let x46: i32 = x6 + 7i;
  let v47: f32 = local5[x46];
  let x48: i32 = x6 + 6i;
  let v49: f32 = local5[x48];
  let x50: i32 = x6 + 2i;
  let v51: f32 = local5[x50];
  let x52: i32 = x6 + 3i;
  let v53: f32 = local5[x52];
  let x54: i32 = x6 + 1i;
  let v55: f32 = local5[x54];
  let v56: f32 = local5[x6];
  if (x4) { p0[x2] = (((v43 + v45) + (v47 + v49)) + ((v51 + v53) + (v55 + v56))); }
}
// == sum_of_all
fn infinity() -> f32 { let bits = 0x7F800000u; return bitcast<f32>(bits); }
fn not_a_number() -> f32 { let bits = 0x7FC00000u; return bitcast<f32>(bits); }
@group(0) @binding(0) var<storage, read_write> p0: array<f32>;
@group(0) @binding(1) var<storage, read_write> p1: array<f32>;
var<workgroup> local2: array<f32, 256>;
var<workgroup> local3: array<f32, 256>;
@compute @workgroup_size(256, 1, 1)
fn r_4096_bb85afc5(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
  let x0: i32 = i32(item[0]);
  let x1: bool = x0 < 1i;
  var acc4: f32;
  acc4 = 0x0p+0f;
  for (var r5: i32 = 0; r5 < 2i; r5++) {
    let x6: i32 = (r5 * 2048i) + x0;
    let x7: i32 = x6 + 1280i;
    let v8: f32 = p1[x7];
    let x9: i32 = x6 + 1024i;
    let v10: f32 = p1[x9];
    let x11: i32 = x6 + 1792i;
    let v12: f32 = p1[x11];
    let x13: i32 = x6 + 1536i;
    let v14: f32 = p1[x13];
    let v15: f32 = p1[x6];
    let x16: i32 = x6 + 256i;
    let v17: f32 = p1[x16];
    let x18: i32 = x6 + 512i;
    let v19: f32 = p1[x18];
    let x20: i32 = x6 + 768i;
    let v21: f32 = p1[x20];
    acc4 = ((((v8 + v10) + (v12 + v14)) + ((v15 + v17) + (v19 + v21))) + (acc4));
  }
  local3[x0] = (acc4);
  workgroupBarrier();
  let x22: i32 = x0 & 15i;
  let x23: i32 = x22 + 128i;
  let v24: f32 = local3[x23];
  let x25: i32 = x22 + 144i;
  let v26: f32 = local3[x25];
  let x27: i32 = x22 + 176i;
  let v28: f32 = local3[x27];
  let x29: i32 = x22 + 160i;
  let v30: f32 = local3[x29];
  let x31: i32 = x22 + 224i;
  let v32: f32 = local3[x31];
  let x33: i32 = x22 + 240i;
  let v34: f32 = local3[x33];
  let x35: i32 = x22 + 208i;
  let v36: f32 = local3[x35];
  let x37: i32 = x22 + 192i;
  let v38: f32 = local3[x37];
  let x39: i32 = x22 + 80i;
  let v40: f32 = local3[x39];
  let x41: i32 = x22 + 64i;
  let v42: f32 = local3[x41];
  let x43: i32 = x22 + 96i;
  let v44: f32 = local3[x43];
  let x45: i32 = x22 + 112i;
  let v46: f32 = local3[x45];
  let x47: i32 = x22 + 48i;
  let v48: f32 = local3[x47];
  let x49: i32 = x22 + 32i;
  let v50: f32 = local3[x49];
  let x51: i32 = x22 + 16i;
  let v52: f32 = local3[x51];
  let v53: f32 = local3[x22];
  local2[x0] = ((((v24 + v26) + (v28 + v30)) + ((v32 + v34) + (v36 + v38))) + (((v40 + v42) + (v44 + v46)) + ((v48 + v50) + (v52 + v53))));
  workgroupBarrier();
  let v54: f32 = local2[14i];
  let v55: f32 = local2[15i];
  let v56: f32 = local2[13i];
  let v57: f32 = local2[12i];
  let v58: f32 = local2[8i];
  let v59: f32 = local2[9i];
  let v60: f32 = local2[10i];
  let v61: f32 = local2[11i];
  let v62: f32 = local2[7i];
  let v63: f32 = local2[6i];
  let v64: f32 = local2[4i];
  let v65: f32 = local2[5i];
  let v66: f32 = local2[1i];
  let v67: f32 = local2[0i];
  let v68: f32 = local2[2i];
  let v69: f32 = local2[3i];
  if (x1) { p0[0i] = ((((v54 + v55) + (v56 + v57)) + ((v58 + v59) + (v60 + v61))) + (((v62 + v63) + (v64 + v65)) + ((v66 + v67) + (v68 + v69)))); }
}
// == largest
fn infinity() -> f32 { let bits = 0x7F800000u; return bitcast<f32>(bits); }
fn not_a_number() -> f32 { let bits = 0x7FC00000u; return bitcast<f32>(bits); }
@group(0) @binding(0) var<storage, read_write> p0: array<f32>;
@group(0) @binding(1) var<storage, read_write> p1: array<f32>;
var<workgroup> local3: array<f32, 80>;
@compute @workgroup_size(16, 5, 1)
fn r_5_70_4bd22c03(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
  let x0: i32 = i32(item[1]);
  let x1: i32 = i32(item[0]);
  let x2: bool = x1 < 1i;
  let x4: i32 = x0 * 16i;
  let x5: i32 = x4 + x1;
  let x6: i32 = (x0 * 70i) + x1;
  let v7: f32 = p1[x6];
  let x8: i32 = x6 + 16i;
  let v9: f32 = p1[x8];
  let x10: f32 = select((select(v9, v7, (v9 < v7))), (f32(not_a_number())), (v7 != v7));
  let x11: i32 = x6 + 32i;
  let v12: f32 = p1[x11];
  let x13: i32 = x6 + 48i;
  let v14: f32 = p1[x13];
  let x15: f32 = select((select(v14, v12, (v14 < v12))), (f32(not_a_number())), (v12 != v12));
  let x16: f32 = select((select(x15, x10, (x15 < x10))), (f32(not_a_number())), (x10 != x10));
  let x17: bool = x1 < 6i;
  let x18: i32 = x6 + 64i;
  let v19: f32 = select(0x0p+0f, p1[x18], x17);
  let x20: f32 = select((-f32(infinity())), v19, x17);
  local3[x5] = (select((select(x20, x16, (x20 < x16))), (f32(not_a_number())), (x16 != x16)));
  workgroupBarrier();
  let v21: f32 = local3[x4];
  let x22: i32 = x4 + 1i;
  let v23: f32 = local3[x22];
  let x24: f32 = select((select(v23, v21, (v23 < v21))), (f32(not_a_number())), (v21 != v21));
  let x25: i32 = x4 + 3i;
  let v26: f32 = local3[x25];
  let x27: i32 = x4 + 2i;
  let v28: f32 = local3[x27];
  let x29: f32 = select((select(v28, v26, (v28 < v26))), (f32(not_a_number())), (v26 != v26));
  let x30: f32 = select((select(x29, x24, (x29 < x24))), (f32(not_a_number())), (x24 != x24));
  let x31: i32 = x4 + 7i;
  let v32: f32 = local3[x31];
  let x33: i32 = x4 + 6i;
  let v34: f32 = local3[x33];
  let x35: f32 = select((select(v34, v32, (v34 < v32))), (f32(not_a_number())), (v32 != v32));
  let x36: i32 = x4 + 5i;
  let v37: f32 = local3[x36];
  let x38: i32 = x4 + 4i;
  let v39: f32 = local3[x38];
  let x40: f32 = select((select(v39, v37, (v39 < v37))), (f32(not_a_number())), (v37 != v37));
  let x41: f32 = select((select(x40, x35, (x40 < x35))), (f32(not_a_number())), (x35 != x35));
  let x42: f32 = select((select(x41, x30, (x41 < x30))), (f32(not_a_number())), (x30 != x30));
  let x43: i32 = x4 + 8i;
  let v44: f32 = local3[x43];
  let x45: i32 = x4 + 9i;
  let v46: f32 = local3[x45];
  let x47: f32 = select((select(v46, v44, (v46 < v44))), (f32(not_a_number())), (v44 != v44));
  let x48: i32 = x4 + 10i;
  let v49: f32 = local3[x48];
  let x50: i32 = x4 + 11i;
  let v51: f32 = local3[x50];
  let x52: f32 = select((select(v51, v49, (v51 < v49))), (f32(not_a_number())), (v49 != v49));
  let x53: f32 = select((select(x52, x47, (x52 < x47))), (f32(not_a_number())), (x47 != x47));
  let x54: i32 = x4 + 15i;
  let v55: f32 = local3[x54];
  let x56: i32 = x4 + 14i;
  let v57: f32 = local3[x56];
  let x58: f32 = select((select(v57, v55, (v57 < v55))), (f32(not_a_number())), (v55 != v55));
  let x59: i32 = x4 + 13i;
  let v60: f32 = local3[x59];
  let x61: i32 = x4 + 12i;
  let v62: f32 = local3[x61];
  let x63: f32 = select((select(v62, v60, (v62 < v60))), (f32(not_a_number())), (v60 != v60));
  let x64: f32 = select((select(x63, x58, (x63 < x58))), (f32(not_a_number())), (x58 != x58));
  let x65: f32 = select((select(x64, x53, (x64 < x53))), (f32(not_a_number())), (x53 != x53));
  if (x2) { p0[x0] = (select((select(x65, x42, (x65 < x42))), (f32(not_a_number())), (x42 != x42))); }
}
// == matmul
fn infinity() -> f32 { let bits = 0x7F800000u; return bitcast<f32>(bits); }
fn not_a_number() -> f32 { let bits = 0x7FC00000u; return bitcast<f32>(bits); }
@group(0) @binding(2) var<storage, read_write> p2: array<f32>;
@group(0) @binding(0) var<storage, read_write> p0: array<f32>;
@group(0) @binding(1) var<storage, read_write> p1: array<f32>;
@group(0) @binding(3) var<storage, read_write> p3: array<f32>;
var<workgroup> local11: array<f32, 1056>;
var<workgroup> local15: array<f32, 2048>;
@compute @workgroup_size(16, 16, 1)
fn r_64_64_32_8c069978(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
  let x0: i32 = i32(item[0]);
  let x1: i32 = i32(item[1]);
  let x2: i32 = (x1 * 16i) + x0;
  let v3: f32 = p2[x2];
  let x4: i32 = x2 + 256i;
  let v5: f32 = p2[x4];
  let x6: i32 = x2 + 512i;
  let v7: f32 = p2[x6];
  let x8: i32 = x2 + 768i;
  let v9: f32 = p2[x8];
  var acc10: f32;
  let x12: i32 = ((x0 * 64i) + ((x0 >> u32(2i)) * 8i)) + x1;
  let x13: i32 = (x1 * 32i) + x0;
  let x14: i32 = x1 * 4i;
  local15[x2] = v3;
  local15[x4] = v5;
  local15[x6] = v7;
  local15[x8] = v9;
  acc10 = 0x0p+0f;
  var acc16: f32;
  acc16 = 0x0p+0f;
  var acc17: f32;
  acc17 = 0x0p+0f;
  var acc18: f32;
  acc18 = 0x0p+0f;
  var acc19: f32;
  acc19 = 0x0p+0f;
  var acc20: f32;
  acc20 = 0x0p+0f;
  var acc21: f32;
  acc21 = 0x0p+0f;
  var acc22: f32;
  acc22 = 0x0p+0f;
  var acc23: f32;
  acc23 = 0x0p+0f;
  var acc24: f32;
  acc24 = 0x0p+0f;
  var acc25: f32;
  acc25 = 0x0p+0f;
  var acc26: f32;
  acc26 = 0x0p+0f;
  var acc27: f32;
  acc27 = 0x0p+0f;
  var acc28: f32;
  acc28 = 0x0p+0f;
  var acc29: f32;
  acc29 = 0x0p+0f;
  var acc30: f32;
  acc30 = 0x0p+0f;
  for (var r31: i32 = 0; r31 < 2i; r31++) {
    let x32: i32 = r31 * 1024i;
    let x33: i32 = x32 + x2;
    let x34: i32 = x33 + 1024i;
    let x35: bool = r31 < 1i;
    let v36: f32 = select(0x0p+0f, p2[x34], x35);
    let x37: i32 = x33 + 1280i;
    let v38: f32 = select(0x0p+0f, p2[x37], x35);
    let x39: i32 = x33 + 1536i;
    let v40: f32 = select(0x0p+0f, p2[x39], x35);
    let x41: i32 = x33 + 1792i;
    let v42: f32 = select(0x0p+0f, p2[x41], x35);
    workgroupBarrier();
    let x43: i32 = (r31 * 16i) + x13;
    for (var r44: i32 = 0; r44 < 4i; r44++) {
      let x45: i32 = (r44 * 16i) + x12;
      let x46: i32 = (r44 * 512i) + x43;
      let v47: f32 = p1[x46];
      local11[x45] = v47;
    }
    workgroupBarrier();
    workgroupBarrier();
    let x48: i32 = x32 + x0;
    for (var r49: i32 = 0; r49 < 4i; r49++) {
      let x50: i32 = x14 + (r49 * 264i);
      let x51: i32 = x50 + 192i;
      let v52: f32 = local11[x51];
      let x53: i32 = (r49 * 256i) + x48;
      let x54: i32 = x53 + 192i;
      let v55: f32 = local15[x54];
      let x56: i32 = x53 + 128i;
      let v57: f32 = local15[x56];
      let x58: i32 = x50 + 128i;
      let v59: f32 = local11[x58];
      let x60: i32 = x50 + 64i;
      let v61: f32 = local11[x60];
      let x62: i32 = x53 + 64i;
      let v63: f32 = local15[x62];
      let v64: f32 = local11[x50];
      let v65: f32 = local15[x53];
      acc10 = ((v52 * v55) + ((v57 * v59) + ((v61 * v63) + ((v64 * v65) + (acc10)))));
      let x66: i32 = x53 + 208i;
      let v67: f32 = local15[x66];
      let x68: i32 = x53 + 144i;
      let v69: f32 = local15[x68];
      let x70: i32 = x53 + 80i;
      let v71: f32 = local15[x70];
      let x72: i32 = x53 + 16i;
      let v73: f32 = local15[x72];
      acc16 = ((v67 * v52) + ((v69 * v59) + ((v61 * v71) + ((v64 * v73) + (acc16)))));
      let x74: i32 = x53 + 224i;
      let v75: f32 = local15[x74];
      let x76: i32 = x53 + 160i;
      let v77: f32 = local15[x76];
      let x78: i32 = x53 + 96i;
      let v79: f32 = local15[x78];
      let x80: i32 = x53 + 32i;
      let v81: f32 = local15[x80];
      acc17 = ((v75 * v52) + ((v77 * v59) + ((v79 * v61) + ((v64 * v81) + (acc17)))));
      let x82: i32 = x53 + 240i;
      let v83: f32 = local15[x82];
      let x84: i32 = x53 + 176i;
      let v85: f32 = local15[x84];
      let x86: i32 = x53 + 112i;
      let v87: f32 = local15[x86];
      let x88: i32 = x53 + 48i;
      let v89: f32 = local15[x88];
      acc18 = ((v83 * v52) + ((v85 * v59) + ((v87 * v61) + ((v64 * v89) + (acc18)))));
      let x90: i32 = x50 + 193i;
      let v91: f32 = local11[x90];
      let x92: i32 = x50 + 129i;
      let v93: f32 = local11[x92];
      let x94: i32 = x50 + 65i;
      let v95: f32 = local11[x94];
      let x96: i32 = x50 + 1i;
      let v97: f32 = local11[x96];
      acc19 = ((v91 * v55) + ((v93 * v57) + ((v63 * v95) + ((v97 * v65) + (acc19)))));
      acc20 = ((v91 * v67) + ((v93 * v69) + ((v95 * v71) + ((v97 * v73) + (acc20)))));
      acc21 = ((v91 * v75) + ((v93 * v77) + ((v79 * v95) + ((v97 * v81) + (acc21)))));
      acc22 = ((v91 * v83) + ((v93 * v85) + ((v87 * v95) + ((v97 * v89) + (acc22)))));
      let x98: i32 = x50 + 194i;
      let v99: f32 = local11[x98];
      let x100: i32 = x50 + 130i;
      let v101: f32 = local11[x100];
      let x102: i32 = x50 + 66i;
      let v103: f32 = local11[x102];
      let x104: i32 = x50 + 2i;
      let v105: f32 = local11[x104];
      acc23 = ((v99 * v55) + ((v57 * v101) + ((v63 * v103) + ((v105 * v65) + (acc23)))));
      acc24 = ((v67 * v99) + ((v69 * v101) + ((v103 * v71) + ((v73 * v105) + (acc24)))));
      acc25 = ((v75 * v99) + ((v77 * v101) + ((v79 * v103) + ((v81 * v105) + (acc25)))));
      acc26 = ((v83 * v99) + ((v85 * v101) + ((v87 * v103) + ((v89 * v105) + (acc26)))));
      let x106: i32 = x50 + 195i;
      let v107: f32 = local11[x106];
      let x108: i32 = x50 + 131i;
      let v109: f32 = local11[x108];
      let x110: i32 = x50 + 67i;
      let v111: f32 = local11[x110];
      let x112: i32 = x50 + 3i;
      let v113: f32 = local11[x112];
      acc27 = ((v107 * v55) + ((v109 * v57) + ((v63 * v111) + ((v113 * v65) + (acc27)))));
      acc28 = ((v67 * v107) + ((v109 * v69) + ((v111 * v71) + ((v73 * v113) + (acc28)))));
      acc29 = ((v107 * v75) + ((v109 * v77) + ((v79 * v111) + ((v113 * v81) + (acc29)))));
      acc30 = ((v83 * v107) + ((v109 * v85) + ((v87 * v111) + ((v113 * v89) + (acc30)))));
    }
    let x114: i32 = (r31 * (-1024i)) + x2;
    let x115: i32 = x114 + 1024i;
    local15[x115] = v36;
    let x116: i32 = x114 + 1280i;
    local15[x116] = v38;
    let x117: i32 = x114 + 1536i;
    local15[x117] = v40;
    let x118: i32 = x114 + 1792i;
    local15[x118] = v42;
  }
  let x119: i32 = (x1 * 256i) + x0;
  let v120: f32 = p3[x0];
  let x121: f32 = v120 + (acc10);
  p0[x119] = (select(x121, 0x0p+0f, (x121 < 0x0p+0f)));
  let x122: i32 = x119 + 16i;
  let x123: i32 = x0 + 16i;
  let v124: f32 = p3[x123];
  let x125: f32 = v124 + (acc16);
  p0[x122] = (select(x125, 0x0p+0f, (x125 < 0x0p+0f)));
  let x126: i32 = x119 + 32i;
  let x127: i32 = x0 + 32i;
  let v128: f32 = p3[x127];
  let x129: f32 = (acc17) + v128;
  p0[x126] = (select(x129, 0x0p+0f, (x129 < 0x0p+0f)));
  let x130: i32 = x119 + 48i;
  let x131: i32 = x0 + 48i;
  let v132: f32 = p3[x131];
  let x133: f32 = (acc18) + v132;
  p0[x130] = (select(x133, 0x0p+0f, (x133 < 0x0p+0f)));
  let x134: i32 = x119 + 64i;
  let x135: f32 = v120 + (acc19);
  p0[x134] = (select(x135, 0x0p+0f, (x135 < 0x0p+0f)));
  let x136: i32 = x119 + 80i;
  let x137: f32 = v124 + (acc20);
  p0[x136] = (select(x137, 0x0p+0f, (x137 < 0x0p+0f)));
  let x138: i32 = x119 + 96i;
  let x139: f32 = v128 + (acc21);
  p0[x138] = (select(x139, 0x0p+0f, (x139 < 0x0p+0f)));
  let x140: i32 = x119 + 112i;
  let x141: f32 = v132 + (acc22);
  p0[x140] = (select(x141, 0x0p+0f, (x141 < 0x0p+0f)));
  let x142: i32 = x119 + 128i;
  let x143: f32 = v120 + (acc23);
  p0[x142] = (select(x143, 0x0p+0f, (x143 < 0x0p+0f)));
  let x144: i32 = x119 + 144i;
  let x145: f32 = (acc24) + v124;
  p0[x144] = (select(x145, 0x0p+0f, (x145 < 0x0p+0f)));
  let x146: i32 = x119 + 160i;
  let x147: f32 = v128 + (acc25);
  p0[x146] = (select(x147, 0x0p+0f, (x147 < 0x0p+0f)));
  let x148: i32 = x119 + 176i;
  let x149: f32 = (acc26) + v132;
  p0[x148] = (select(x149, 0x0p+0f, (x149 < 0x0p+0f)));
  let x150: i32 = x119 + 192i;
  let x151: f32 = (acc27) + v120;
  p0[x150] = (select(x151, 0x0p+0f, (x151 < 0x0p+0f)));
  let x152: i32 = x119 + 208i;
  let x153: f32 = (acc28) + v124;
  p0[x152] = (select(x153, 0x0p+0f, (x153 < 0x0p+0f)));
  let x154: i32 = x119 + 224i;
  let x155: f32 = v128 + (acc29);
  p0[x154] = (select(x155, 0x0p+0f, (x155 < 0x0p+0f)));
  let x156: i32 = x119 + 240i;
  let x157: f32 = (acc30) + v132;
  p0[x156] = (select(x157, 0x0p+0f, (x157 < 0x0p+0f)));
}
// == softmax
fn infinity() -> f32 { let bits = 0x7F800000u; return bitcast<f32>(bits); }
fn not_a_number() -> f32 { let bits = 0x7FC00000u; return bitcast<f32>(bits); }
@group(0) @binding(0) var<storage, read_write> p0: array<f32>;
@group(0) @binding(1) var<storage, read_write> p1: array<f32>;
var<workgroup> local4: array<f32, 200>;
var<workgroup> local10: array<f32, 200>;
@compute @workgroup_size(50, 4, 1)
fn r_12_200_200_200_ac4dd027(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
  let x0: i32 = i32(item[1]);
  let x1: i32 = i32(item[0]);
  let x2: i32 = (((i32(group[0])) * 800i) + (x0 * 200i)) + x1;
  var acc3: f32;
  let x5: i32 = x0 * 50i;
  let x6: i32 = x5 + x1;
  let x7: i32 = x2 + 100i;
  let v8: f32 = p1[x7];
  var acc9: f32;
  acc9 = (-f32(infinity()));
  let x11: i32 = x2 + 150i;
  let v12: f32 = p1[x11];
  let x13: f32 = select((select(v12, v8, (v12 < v8))), (f32(not_a_number())), (v8 != v8));
  let x14: i32 = x2 + 50i;
  let v15: f32 = p1[x14];
  let v16: f32 = p1[x2];
  let x17: f32 = select((select(v16, v15, (v16 < v15))), (f32(not_a_number())), (v15 != v15));
  local10[x6] = (select((select(x17, x13, (x17 < x13))), (f32(not_a_number())), (x13 != x13)));
  workgroupBarrier();
  for (var r18: i32 = 0; r18 < 50i; r18++) {
    let v19: f32 = acc9;
    let x20: i32 = x5 + r18;
    let v21: f32 = local10[x20];
    acc9 = (select((select(v21, v19, (v21 < v19))), (f32(not_a_number())), (v19 != v19)));
  }
  let v22: f32 = acc9;
  let x23: f32 = exp2(((v8 - v22) * 0x1.715476p+0f));
  let x24: f32 = exp2(((v12 - v22) * 0x1.715476p+0f));
  let x25: f32 = exp2(((v16 - v22) * 0x1.715476p+0f));
  let x26: f32 = exp2(((v15 - v22) * 0x1.715476p+0f));
  local4[x6] = ((x23 + x24) + (x25 + x26));
  workgroupBarrier();
  acc3 = 0x0p+0f;
  for (var r27: i32 = 0; r27 < 50i; r27++) {
    let x28: i32 = x5 + r27;
    let v29: f32 = local4[x28];
    acc3 = (v29 + (acc3));
  }
  let x30: f32 = 0x1p+0f / (acc3);
  p0[x2] = (x30 * x25);
  p0[x14] = (x30 * x26);
  p0[x7] = (x30 * x23);
  p0[x11] = (x30 * x24);
}
// == layer_norm
fn infinity() -> f32 { let bits = 0x7F800000u; return bitcast<f32>(bits); }
fn not_a_number() -> f32 { let bits = 0x7FC00000u; return bitcast<f32>(bits); }
@group(0) @binding(0) var<storage, read_write> p0: array<f32>;
@group(0) @binding(1) var<storage, read_write> p1: array<f32>;
var<workgroup> local3: array<f32, 192>;
var<workgroup> local6: array<f32, 192>;
var<workgroup> local9: array<f32, 192>;
var<workgroup> local10: array<f32, 192>;
@compute @workgroup_size(48, 4, 1)
fn r_12_96_96_96_4de0008d(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
  let x0: i32 = i32(item[1]);
  let x1: i32 = i32(item[0]);
  let x2: i32 = ((x0 * 96i) + ((i32(group[0])) * 384i)) + x1;
  let x4: i32 = x0 * 48i;
  let x5: i32 = x4 + x1;
  let x7: i32 = x2 + 48i;
  let v8: f32 = p1[x7];
  let v11: f32 = p1[x2];
  local10[x5] = (v8 + v11);
  workgroupBarrier();
  let x12: i32 = (x1 & 7i) + x4;
  let x13: i32 = x12 + 40i;
  let v14: f32 = local10[x13];
  let x15: i32 = x12 + 32i;
  let v16: f32 = local10[x15];
  let v17: f32 = local10[x12];
  let x18: i32 = x12 + 8i;
  let v19: f32 = local10[x18];
  let x20: i32 = x12 + 16i;
  let v21: f32 = local10[x20];
  let x22: i32 = x12 + 24i;
  let v23: f32 = local10[x22];
  local9[x5] = ((v14 + v16) + ((v17 + v19) + (v21 + v23)));
  workgroupBarrier();
  let x24: i32 = x4 + 6i;
  let v25: f32 = local9[x24];
  let x26: i32 = x4 + 7i;
  let v27: f32 = local9[x26];
  let x28: i32 = x4 + 5i;
  let v29: f32 = local9[x28];
  let x30: i32 = x4 + 4i;
  let v31: f32 = local9[x30];
  let x32: i32 = x4 + 3i;
  let v33: f32 = local9[x32];
  let x34: i32 = x4 + 2i;
  let v35: f32 = local9[x34];
  let x36: i32 = x4 + 1i;
  let v37: f32 = local9[x36];
  let v38: f32 = local9[x4];
  let x39: f32 = (((v25 + v27) + (v29 + v31)) + ((v33 + v35) + (v37 + v38))) * 0x1.555556p-7f;
  let x40: f32 = v8 - x39;
  let x41: f32 = v11 - x39;
  local6[x5] = ((x40 * x40) + (x41 * x41));
  workgroupBarrier();
  let v42: f32 = local6[x22];
  let v43: f32 = local6[x20];
  let v44: f32 = local6[x18];
  let v45: f32 = local6[x12];
  let v46: f32 = local6[x13];
  let v47: f32 = local6[x15];
  local3[x5] = (((v42 + v43) + (v44 + v45)) + (v46 + v47));
  workgroupBarrier();
  let v48: f32 = local3[x30];
  let v49: f32 = local3[x28];
  let v50: f32 = local3[x24];
  let v51: f32 = local3[x26];
  let v52: f32 = local3[x4];
  let v53: f32 = local3[x36];
  let v54: f32 = local3[x32];
  let v55: f32 = local3[x34];
  let x56: f32 = 0x1p+0f / (sqrt((((((v48 + v49) + (v50 + v51)) + ((v52 + v53) + (v54 + v55))) * 0x1.555556p-7f) + 0x1.4f8b58p-17f)));
  p0[x2] = (x56 * x41);
  p0[x7] = (x56 * x40);
}
// == named
fn infinity() -> f32 { let bits = 0x7F800000u; return bitcast<f32>(bits); }
fn not_a_number() -> f32 { let bits = 0x7FC00000u; return bitcast<f32>(bits); }
@group(0) @binding(0) var<storage, read_write> p0: array<f32>;
@group(0) @binding(2) var<storage, read_write> p2: array<i32>;
@group(0) @binding(1) var<storage, read_write> p1: array<f32>;
@compute @workgroup_size(48, 5, 1)
fn r_40_48_24_96cd4a38(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
  let x0: i32 = i32(item[1]);
  let x1: i32 = i32(group[0]);
  let x2: i32 = i32(item[0]);
  let x3: i32 = ((x0 * 48i) + (x1 * 240i)) + x2;
  let x4: i32 = (x1 * 5i) + x0;
  let v5: i32 = p2[x4];
  let x6: bool = ((-1i) < v5) & (v5 < 24i);
  let x7: i32 = (v5 * 48i) + x2;
  let v8: f32 = select(0x0p+0f, p1[x7], x6);
  p0[x3] = (select(0x0p+0f, v8, x6));
}
// == convolution
fn infinity() -> f32 { let bits = 0x7F800000u; return bitcast<f32>(bits); }
fn not_a_number() -> f32 { let bits = 0x7FC00000u; return bitcast<f32>(bits); }
@group(0) @binding(0) var<storage, read_write> p0: array<f32>;
@group(0) @binding(1) var<storage, read_write> p1: array<f32>;
@group(0) @binding(2) var<storage, read_write> p2: array<f32>;
@compute @workgroup_size(10, 10, 2)
fn r_8_10_10_3_4_3_544ebaff(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
  let x0: i32 = i32(item[1]);
  let x1: i32 = i32(group[0]);
  let x2: i32 = i32(item[2]);
  let x3: i32 = i32(item[0]);
  let x4: i32 = (x0 * 10i) + ((x1 * 200i) + ((x2 * 100i) + x3));
  var acc5: f32;
  let x6: i32 = (x0 * 12i) + x3;
  let x7: i32 = (x1 * 72i) + (x2 * 36i);
  acc5 = 0x0p+0f;
  for (var r8: i32 = 0; r8 < 4i; r8++) {
    let x9: i32 = (r8 * 144i) + x6;
    let x10: i32 = (r8 * 9i) + x7;
    for (var r11: i32 = 0; r11 < 3i; r11++) {
      let x12: i32 = (r11 * 12i) + x9;
      let x13: i32 = (r11 * 3i) + x10;
      for (var r14: i32 = 0; r14 < 3i; r14++) {
        let x15: i32 = x12 + r14;
        let v16: f32 = p1[x15];
        let x17: i32 = x13 + r14;
        let v18: f32 = p2[x17];
        acc5 = ((v16 * v18) + (acc5));
      }
    }
  }
  p0[x4] = (acc5);
}
// == random
fn infinity() -> f32 { let bits = 0x7F800000u; return bitcast<f32>(bits); }
fn not_a_number() -> f32 { let bits = 0x7FC00000u; return bitcast<f32>(bits); }
@group(0) @binding(0) var<storage, read_write> p0: array<f32>;
@group(1) @binding(2) var<uniform> a2: u32;
@group(1) @binding(1) var<uniform> a1: u32;
@group(1) @binding(0) var<uniform> a0: u32;
@compute @workgroup_size(50, 1, 1)
fn E_50_ec76fec1(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
  let x0: i32 = i32(item[0]);
  let x1: u32 = (a2 ^ a1) ^ 466688986u;
  let x2: u32 = a0 + a2;
  let x3: u32 = x2 + ((u32(x0)) + a1);
  let x4: u32 = ((x2 >> u32(19u)) | (x2 << u32(13u))) ^ x3;
  let x5: u32 = x4 + x3;
  let x6: u32 = ((x4 >> u32(17u)) | (x4 << u32(15u))) ^ x5;
  let x7: u32 = x6 + x5;
  let x8: u32 = ((x6 >> u32(6u)) | (x6 << u32(26u))) ^ x7;
  let x9: u32 = x8 + x7;
  let x10: u32 = (((x8 >> u32(26u)) | (x8 << u32(6u))) ^ x9) + (x1 + 1u);
  let x11: u32 = (x9 + a2) + x10;
  let x12: u32 = ((x10 >> u32(15u)) | (x10 << u32(17u))) ^ x11;
  let x13: u32 = x12 + x11;
  let x14: u32 = ((x12 >> u32(3u)) | (x12 << u32(29u))) ^ x13;
  let x15: u32 = x14 + x13;
  let x16: u32 = ((x14 >> u32(16u)) | (x14 << u32(16u))) ^ x15;
  let x17: u32 = x16 + x15;
  let x18: u32 = (((x16 >> u32(8u)) | (x16 << u32(24u))) ^ x17) + (a1 + 2u);
  let x19: u32 = (x1 + x17) + x18;
  let x20: u32 = ((x18 >> u32(19u)) | (x18 << u32(13u))) ^ x19;
  let x21: u32 = x20 + x19;
  let x22: u32 = ((x20 >> u32(17u)) | (x20 << u32(15u))) ^ x21;
  let x23: u32 = x22 + x21;
  let x24: u32 = ((x22 >> u32(6u)) | (x22 << u32(26u))) ^ x23;
  let x25: u32 = x24 + x23;
  let x26: u32 = (((x24 >> u32(26u)) | (x24 << u32(6u))) ^ x25) + (a2 + 3u);
  let x27: u32 = x26 + (x25 + a1);
  let x28: u32 = ((x26 >> u32(15u)) | (x26 << u32(17u))) ^ x27;
  let x29: u32 = x28 + x27;
  let x30: u32 = ((x28 >> u32(3u)) | (x28 << u32(29u))) ^ x29;
  let x31: u32 = x30 + x29;
  let x32: u32 = ((x30 >> u32(16u)) | (x30 << u32(16u))) ^ x31;
  let x33: u32 = x32 + x31;
  let x34: u32 = (((x32 >> u32(8u)) | (x32 << u32(24u))) ^ x33) + (x1 + 4u);
  let x35: u32 = (x33 + a2) + x34;
  let x36: u32 = ((x34 >> u32(19u)) | (x34 << u32(13u))) ^ x35;
  let x37: u32 = x36 + x35;
  let x38: u32 = ((x36 >> u32(17u)) | (x36 << u32(15u))) ^ x37;
  let x39: u32 = x38 + x37;
  p0[x0] = ((f32(((x1 + ((((x38 >> u32(6u)) | (x38 << u32(26u))) ^ x39) + x39)) >> u32(8u)))) * 0x1p-24f);
}
// == running
fn infinity() -> f32 { let bits = 0x7F800000u; return bitcast<f32>(bits); }
fn not_a_number() -> f32 { let bits = 0x7FC00000u; return bitcast<f32>(bits); }
@group(0) @binding(0) var<storage, read_write> p0: array<f32>;
@group(0) @binding(1) var<storage, read_write> p1: array<f32>;
@compute @workgroup_size(3, 1, 1)
fn r_3_40_40_21e31273(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
  let x0: i32 = (i32(item[0])) * 40i;
  var acc1: f32;
  acc1 = 0x0p+0f;
  for (var r2: i32 = 0; r2 < 40i; r2++) {
    let x3: i32 = x0 + r2;
    let v4: f32 = p1[x3];
    let x5: f32 = (acc1) + v4;
    p0[x3] = x5;
    acc1 = x5;
  }
}
