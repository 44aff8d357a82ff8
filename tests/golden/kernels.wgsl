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
@group(0) @binding(2) var<storage, read_write> p2: array<i32>;
@group(0) @binding(1) var<storage, read_write> p1: array<i32>;
@compute @workgroup_size(13, 1, 1)
fn E_65_91b89aaf(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
  let x0: i32 = ((i32(group[0])) * 13i) + (i32(item[0]));
  let v1: i32 = p2[x0];
  let v2: i32 = p1[x0];
  let x3: bool = v1 != 0i;
  let x4: bool = v1 != (-1i);
  let x5: i32 = select(1i, v1, x4);
  let x6: i32 = select(1i, x5, (x5 != 0i));
  let x7: i32 = select(v2, (select(0i, (v2 % x6), x4)), x3);
  let x8: i32 = v2 % 7i;
  p0[x0] = (((v1 & v2) + (v1 * v2)) + (((select(0i, (select((v2 * (-1i)), (v2 / x6), x4)), x3)) + (select(0i, (-1i), (((x7 != 0i) & ((x7 ^ v1) < 0i)) & x3)))) + ((select(0i, 7i, (x8 < 0i))) + x8)));
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
var<workgroup> local4: array<i32, 240>;
@compute @workgroup_size(60, 4, 1)
fn r_4_300_69b5d8ef(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
  let x0: i32 = i32(item[1]);
  let x1: i32 = i32(item[0]);
  let x2: bool = x1 < 1i;
  var acc3: i32;
  acc3 = (-2147483647i - 1);
  let x5: i32 = x0 * 60i;
  let x6: i32 = x5 + x1;
  var acc7: i32;
  acc7 = (-2147483647i - 1);
  let x8: i32 = (x0 * 300i) + x1;
  for (var r9: i32 = 0; r9 < 5i; r9++) {
    let v10: i32 = acc7;
    let x11: i32 = (r9 * 60i) + x8;
    let v12: i32 = p1[x11];
    acc7 = (select(v10, v12, (v10 < v12)));
  }
  local4[x6] = (acc7);
  workgroupBarrier();
  for (var r13: i32 = 0; r13 < 60i; r13++) {
    let v14: i32 = acc3;
    let x15: i32 = x5 + r13;
    let v16: i32 = local4[x15];
    acc3 = (select(v14, v16, (v14 < v16)));
  }
  if (x2) { p0[x0] = (acc3); }
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
var<workgroup> local6: array<f32, 180>;
@compute @workgroup_size(60, 3, 1)
fn r_6_480_315e05db(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
  let x0: i32 = i32(group[0]);
  let x1: i32 = i32(item[1]);
  let x2: i32 = (x0 * 3i) + x1;
  let x3: i32 = i32(item[0]);
  let x4: bool = x3 < 1i;
  var acc5: f32;
  acc5 = 0x0p+0f;
  let x7: i32 = x1 * 60i;
  let x8: i32 = x7 + x3;
  var acc9: f32;
  let x10: i32 = (x0 * 1440i) + ((x1 * 480i) + x3);
  acc9 = 0x0p+0f;
  for (var r11: i32 = 0; r11 < 8i; r11++) {
    let x12: i32 = (r11 * 60i) + x10;
    let v13: f32 = p1[x12];
    acc9 = (v13 + (acc9));
  }
  local6[x8] = (acc9);
  workgroupBarrier();
  for (var r14: i32 = 0; r14 < 60i; r14++) {
    let x15: i32 = x7 + r14;
    let v16: f32 = local6[x15];
    acc5 = ((acc5) + v16);
  }
  if (x4) { p0[x2] = (acc5); }
}
// == sum_of_all
fn infinity() -> f32 { let bits = 0x7F800000u; return bitcast<f32>(bits); }
fn not_a_number() -> f32 { let bits = 0x7FC00000u; return bitcast<f32>(bits); }
@group(0) @binding(0) var<storage, read_write> p0: array<f32>;
@group(0) @binding(1) var<storage, read_write> p1: array<f32>;
var<workgroup> local3: array<f32, 64>;
@compute @workgroup_size(64, 1, 1)
fn r_4096_14e7215c(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
  let x0: i32 = i32(item[0]);
  let x1: bool = x0 < 1i;
  var acc2: f32;
  var acc4: f32;
  acc4 = 0x0p+0f;
  for (var r5: i32 = 0; r5 < 64i; r5++) {
    let x6: i32 = (r5 * 64i) + x0;
    let v7: f32 = p1[x6];
    acc4 = (v7 + (acc4));
  }
  local3[x0] = (acc4);
  workgroupBarrier();
  acc2 = 0x0p+0f;
  for (var r8: i32 = 0; r8 < 64i; r8++) {
    let v9: f32 = local3[r8];
    acc2 = (v9 + (acc2));
  }
  if (x1) { p0[0i] = (acc2); }
}
// == largest
fn infinity() -> f32 { let bits = 0x7F800000u; return bitcast<f32>(bits); }
fn not_a_number() -> f32 { let bits = 0x7FC00000u; return bitcast<f32>(bits); }
@group(0) @binding(0) var<storage, read_write> p0: array<f32>;
@group(0) @binding(1) var<storage, read_write> p1: array<f32>;
var<workgroup> local4: array<f32, 175>;
@compute @workgroup_size(35, 5, 1)
fn r_5_70_425713da(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
  let x0: i32 = i32(item[1]);
  let x1: i32 = i32(item[0]);
  let x2: bool = x1 < 1i;
  var acc3: f32;
  acc3 = (-f32(infinity()));
  let x5: i32 = x0 * 35i;
  let x6: i32 = x5 + x1;
  var acc7: f32;
  let x8: i32 = (x0 * 70i) + x1;
  acc7 = (-f32(infinity()));
  for (var r9: i32 = 0; r9 < 2i; r9++) {
    let x10: i32 = (r9 * 35i) + x8;
    let v11: f32 = p1[x10];
    let v12: f32 = acc7;
    acc7 = (select((select(v12, v11, (v12 < v11))), (f32(not_a_number())), (v11 != v11)));
  }
  local4[x6] = (acc7);
  workgroupBarrier();
  for (var r13: i32 = 0; r13 < 35i; r13++) {
    let v14: f32 = acc3;
    let x15: i32 = x5 + r13;
    let v16: f32 = local4[x15];
    acc3 = (select((select(v16, v14, (v16 < v14))), (f32(not_a_number())), (v14 != v14)));
  }
  if (x2) { p0[x0] = (acc3); }
}
// == matmul
fn infinity() -> f32 { let bits = 0x7F800000u; return bitcast<f32>(bits); }
fn not_a_number() -> f32 { let bits = 0x7FC00000u; return bitcast<f32>(bits); }
@group(0) @binding(0) var<storage, read_write> p0: array<f32>;
@group(0) @binding(2) var<storage, read_write> p2: array<f32>;
@group(0) @binding(3) var<storage, read_write> p3: array<f32>;
@group(0) @binding(1) var<storage, read_write> p1: array<f32>;
@compute @workgroup_size(64, 4, 1)
fn r_64_64_32_6e171b93(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
  let x0: i32 = i32(item[1]);
  let x1: i32 = i32(group[0]);
  let x2: i32 = i32(item[0]);
  let x3: i32 = ((x0 * 64i) + (x1 * 256i)) + x2;
  let v4: f32 = p2[x2];
  var acc5: f32;
  let x6: i32 = (x1 * 128i) + (x0 * 32i);
  acc5 = 0x0p+0f;
  for (var r7: i32 = 0; r7 < 32i; r7++) {
    let x8: i32 = (r7 * 64i) + x2;
    let v9: f32 = p3[x8];
    let x10: i32 = x6 + r7;
    let v11: f32 = p1[x10];
    acc5 = ((v9 * v11) + (acc5));
  }
  let x12: f32 = v4 + (acc5);
  p0[x3] = (select(x12, 0x0p+0f, (x12 < 0x0p+0f)));
}
// == softmax
fn infinity() -> f32 { let bits = 0x7F800000u; return bitcast<f32>(bits); }
fn not_a_number() -> f32 { let bits = 0x7FC00000u; return bitcast<f32>(bits); }
@group(0) @binding(0) var<storage, read_write> p0: array<f32>;
@group(0) @binding(1) var<storage, read_write> p1: array<f32>;
@compute @workgroup_size(12, 1, 1)
fn r_12_200_200_200_09f781d2(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
  let x0: i32 = (i32(item[0])) * 200i;
  var acc1: f32;
  var acc2: f32;
  acc2 = (-f32(infinity()));
  for (var r3: i32 = 0; r3 < 200i; r3++) {
    let x4: i32 = x0 + r3;
    let v5: f32 = p1[x4];
    let v6: f32 = acc2;
    acc2 = (select((select(v6, v5, (v6 < v5))), (f32(not_a_number())), (v5 != v5)));
  }
  let v7: f32 = acc2;
  acc1 = 0x0p+0f;
  for (var r8: i32 = 0; r8 < 200i; r8++) {
    let x9: i32 = x0 + r8;
    let v10: f32 = p1[x9];
    acc1 = ((exp2(((v10 - v7) * 0x1.715476p+0f))) + (acc1));
  }
  let x11: f32 = 0x1p+0f / (acc1);
  for (var r12: i32 = 0; r12 < 200i; r12++) {
    let x13: i32 = x0 + r12;
    let v14: f32 = p1[x13];
    p0[x13] = (x11 * (exp2(((v14 - v7) * 0x1.715476p+0f))));
  }
}
// == layer_norm
fn infinity() -> f32 { let bits = 0x7F800000u; return bitcast<f32>(bits); }
fn not_a_number() -> f32 { let bits = 0x7FC00000u; return bitcast<f32>(bits); }
@group(0) @binding(0) var<storage, read_write> p0: array<f32>;
@group(0) @binding(1) var<storage, read_write> p1: array<f32>;
@compute @workgroup_size(12, 1, 1)
fn r_12_96_96_96_638f1e93(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
  let x0: i32 = (i32(item[0])) * 96i;
  var acc1: f32;
  var acc2: f32;
  acc2 = 0x0p+0f;
  for (var r3: i32 = 0; r3 < 96i; r3++) {
    let x4: i32 = x0 + r3;
    let v5: f32 = p1[x4];
    acc2 = (v5 + (acc2));
  }
  let x6: f32 = (acc2) * 0x1.555556p-7f;
  acc1 = 0x0p+0f;
  for (var r7: i32 = 0; r7 < 96i; r7++) {
    let x8: i32 = x0 + r7;
    let v9: f32 = p1[x8];
    let x10: f32 = v9 - x6;
    acc1 = ((x10 * x10) + (acc1));
  }
  let x11: f32 = 0x1p+0f / (sqrt((((acc1) * 0x1.555556p-7f) + 0x1.4f8b58p-17f)));
  for (var r12: i32 = 0; r12 < 96i; r12++) {
    let x13: i32 = x0 + r12;
    let v14: f32 = p1[x13];
    p0[x13] = (x11 * (v14 - x6));
  }
}
// == named
fn infinity() -> f32 { let bits = 0x7F800000u; return bitcast<f32>(bits); }
fn not_a_number() -> f32 { let bits = 0x7FC00000u; return bitcast<f32>(bits); }
@group(0) @binding(0) var<storage, read_write> p0: array<f32>;
@group(0) @binding(1) var<storage, read_write> p1: array<i32>;
@group(0) @binding(2) var<storage, read_write> p2: array<f32>;
@compute @workgroup_size(48, 5, 1)
fn r_40_48_24_c3988a8d(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
  let x0: i32 = i32(item[1]);
  let x1: i32 = i32(group[0]);
  let x2: i32 = i32(item[0]);
  let x3: i32 = ((x0 * 48i) + (x1 * 240i)) + x2;
  let x4: i32 = (x1 * 5i) + x0;
  let v5: i32 = p1[x4];
  let x6: bool = ((-1i) < v5) & (v5 < 24i);
  let x7: i32 = (v5 * 48i) + x2;
  let v8: f32 = select(0x0p+0f, p2[x7], x6);
  p0[x3] = (select(0x0p+0f, v8, x6));
}
// == convolution
fn infinity() -> f32 { let bits = 0x7F800000u; return bitcast<f32>(bits); }
fn not_a_number() -> f32 { let bits = 0x7FC00000u; return bitcast<f32>(bits); }
@group(0) @binding(0) var<storage, read_write> p0: array<f32>;
@group(0) @binding(2) var<storage, read_write> p2: array<f32>;
@group(0) @binding(1) var<storage, read_write> p1: array<f32>;
var<workgroup> local8: array<f32, 150>;
@compute @workgroup_size(3, 10, 5)
fn r_8_10_10_3_4_3_ab0a8979(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
  let x0: i32 = i32(group[0]);
  let x1: i32 = i32(group[1]);
  let x2: i32 = i32(item[2]);
  let x3: i32 = i32(item[1]);
  let x4: i32 = (x0 * 50i) + ((x1 * 100i) + ((x2 * 10i) + x3));
  let x5: i32 = i32(item[0]);
  let x6: bool = x5 < 1i;
  var acc7: f32;
  let x9: i32 = x2 * 30i;
  let x10: i32 = x3 * 3i;
  let x11: i32 = x9 + (x10 + x5);
  var acc12: f32;
  let x13: i32 = (x1 * 36i) + x5;
  let x14: i32 = (x0 * 60i) + ((x2 * 12i) + (x5 + x3));
  acc12 = 0x0p+0f;
  for (var r15: i32 = 0; r15 < 4i; r15++) {
    let x16: i32 = (r15 * 9i) + x13;
    let x17: i32 = (r15 * 144i) + x14;
    for (var r18: i32 = 0; r18 < 3i; r18++) {
      let x19: i32 = (r18 * 3i) + x16;
      let v20: f32 = p2[x19];
      let x21: i32 = (r18 * 12i) + x17;
      let v22: f32 = p1[x21];
      acc12 = ((v20 * v22) + (acc12));
    }
  }
  local8[x11] = (acc12);
  workgroupBarrier();
  let x23: i32 = x10 + x9;
  acc7 = 0x0p+0f;
  for (var r24: i32 = 0; r24 < 3i; r24++) {
    let x25: i32 = x23 + r24;
    let v26: f32 = local8[x25];
    acc7 = (v26 + (acc7));
  }
  if (x6) { p0[x4] = (acc7); }
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
fn r_3_40_40_0b0f6101(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
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
