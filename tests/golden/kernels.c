// == elementwise
void E_12_16_e8656e33(void *const *mem, const long long *args, long long task, char *restrict local) {
  f32 *const p0 = (f32 *)mem[0];
  f32 *const p2 = (f32 *)mem[2];
  f32 *const p1 = (f32 *)mem[1];
  const u8x8 x0 = SPLAT(u8x8, u8, (u8)0);
  const i32x8 x1 = (i32x8){0, 1, 2, 3, 4, 5, 6, 7};
  const i32x8 x2 = SPLAT(i32x8, i32, 12);
  for (i32 r3 = 0; r3 < 12; r3++) {
    const i32 x4 = (i32)(r3 * 16);
    const i32 x5 = (i32)(r3 * 12);
    const b8x8 x6 = CONVERT((SPLAT(u8x8, u8, ((0 < r3) ? (u8)1 : (u8)0))) != x0, b8x8);
    const b8x8 x7 = CONVERT((SPLAT(u8x8, u8, ((r3 < 11) ? (u8)1 : (u8)0))) != x0, b8x8);
    for (i32 r8 = 0; r8 < 2; r8++) {
      const i32 x9 = (i32)(r8 * 8);
      const i32 x10 = (i32)(x4 + x9);
      const f32x8 v11 = LOAD(f32x8, p2 + x9);
      const i32 x12 = (i32)(x9 + x5);
      const b8x8 x13 = (x6 & (CONVERT(((SPLAT(i32x8, i32, x9)) + x1) < x2, b8x8))) & x7;
      const f32x8 v14 = LOAD_MASKED(f32x8, 32, 8, (p1 + x12) + (-12), x13, (f32x8){0});
      STORE(f32x8, p0 + x10, (v11 + v14));
    }
  }
}
// == transposed
void E_4_6_8_ba765e14(void *const *mem, const long long *args, long long task, char *restrict local) {
  f32 *const p0 = (f32 *)mem[0];
  f32 *const p1 = (f32 *)mem[1];
  f32 *const p2 = (f32 *)mem[2];
  for (i32 r0 = 0; r0 < 4; r0++) {
    const i32 x1 = (i32)(r0 * 48);
    for (i32 r2 = 0; r2 < 6; r2++) {
      const i32 x3 = (i32)(r2 * 8);
      const i32 x4 = (i32)(x1 + x3);
      const i32 x5 = (i32)(((i32)(r2 * 32)) + r0);
      const f32x8 v6 = LOAD(f32x8, p1 + x5);
      const f32x8 v7 = LOAD(f32x8, (p1 + x5) + 8);
      const f32x8 v8 = LOAD(f32x8, (p1 + x5) + 16);
      const f32x8 v9 = LOAD(f32x8, (p1 + x5) + 21);
      const f32x8 v10 = LOAD(f32x8, p2 + x3);
      STORE(f32x8, p0 + x4, (((f32x8){(v6[0]), (v6[4]), (v7[0]), (v7[4]), (v8[0]), (v8[4]), (v9[3]), (v9[7])}) * v10));
    }
  }
}
// == sum
void r_6_48_db60c9bb(void *const *mem, const long long *args, long long task, char *restrict local) {
  f32 *const p0 = (f32 *)mem[0];
  f32 *const p1 = (f32 *)mem[1];
  f32x8 acc0;
  const f32x8 x1 = SPLAT(f32x8, f32, 0x0p+0f);
  acc0 = x1;
  f32x8 acc2;
  acc2 = x1;
  f32x8 acc3;
  acc3 = x1;
  f32x8 acc4;
  acc4 = x1;
  f32x8 acc5;
  acc5 = x1;
  f32x8 acc6;
  acc6 = x1;
  for (i32 r7 = 0; r7 < 3; r7++) {
    const i32 x8 = (i32)(r7 * 16);
    const f32x8 v9 = LOAD(f32x8, p1 + x8);
    const f32x8 v10 = LOAD(f32x8, (p1 + x8) + 8);
    acc0 = ((v9 + v10) + (acc0));
    const f32x8 v11 = LOAD(f32x8, (p1 + x8) + 48);
    const f32x8 v12 = LOAD(f32x8, (p1 + x8) + 56);
    acc2 = ((v11 + v12) + (acc2));
    const f32x8 v13 = LOAD(f32x8, (p1 + x8) + 96);
    const f32x8 v14 = LOAD(f32x8, (p1 + x8) + 104);
    acc3 = ((v13 + v14) + (acc3));
    const f32x8 v15 = LOAD(f32x8, (p1 + x8) + 144);
    const f32x8 v16 = LOAD(f32x8, (p1 + x8) + 152);
    acc4 = ((v15 + v16) + (acc4));
    const f32x8 v17 = LOAD(f32x8, (p1 + x8) + 200);
    const f32x8 v18 = LOAD(f32x8, (p1 + x8) + 192);
    acc5 = ((v17 + v18) + (acc5));
    const f32x8 v19 = LOAD(f32x8, (p1 + x8) + 240);
    const f32x8 v20 = LOAD(f32x8, (p1 + x8) + 248);
    acc6 = ((v19 + v20) + (acc6));
  }
  const f32x8 v21 = acc0;
  const f32x8 v22 = acc2;
  const f32x8 x23 = (SHUFFLE(i32x8, v21, v22, 1, 9, 3, 11, 5, 13, 7, 15)) + (SHUFFLE(i32x8, v21, v22, 0, 8, 2, 10, 4, 12, 6, 14));
  const f32x8 v24 = acc3;
  const f32x8 v25 = acc4;
  const f32x8 x26 = (SHUFFLE(i32x8, v24, v25, 1, 9, 3, 11, 5, 13, 7, 15)) + (SHUFFLE(i32x8, v24, v25, 0, 8, 2, 10, 4, 12, 6, 14));
  const f32x8 x27 = (SHUFFLE(i32x8, x23, x26, 0, 1, 8, 9, 4, 5, 12, 13)) + (SHUFFLE(i32x8, x23, x26, 2, 3, 10, 11, 6, 7, 14, 15));
  STORE(f32x4, p0 + 0, ((HIGH(f32x8, f32x4, x27)) + (LOW(f32x8, f32x4, x27))));
  const f32x8 v28 = acc5;
  const f32x8 v29 = acc6;
  const f32x8 x30 = (SHUFFLE(i32x8, v28, v29, 1, 9, 3, 11, 5, 13, 7, 15)) + (SHUFFLE(i32x8, v28, v29, 0, 8, 2, 10, 4, 12, 6, 14));
  const f32x4 x31 = (LOW(f32x8, f32x4, x30)) + (HIGH(f32x8, f32x4, x30));
  STORE(f32x2, p0 + 4, ((HIGH(f32x4, f32x2, x31)) + (LOW(f32x4, f32x2, x31))));
}
// == sum of all
void r_96_37e5bfb7(void *const *mem, const long long *args, long long task, char *restrict local) {
  f32 *const p0 = (f32 *)mem[0];
  f32 *const p1 = (f32 *)mem[1];
  f32x8 acc0;
  acc0 = (SPLAT(f32x8, f32, 0x0p+0f));
  for (i32 r1 = 0; r1 < 3; r1++) {
    const i32 x2 = (i32)(r1 * 32);
    const f32x8 v3 = LOAD(f32x8, (p1 + x2) + 16);
    const f32x8 v4 = LOAD(f32x8, (p1 + x2) + 24);
    const f32x8 v5 = LOAD(f32x8, (p1 + x2) + 8);
    const f32x8 v6 = LOAD(f32x8, p1 + x2);
    acc0 = (((v3 + v4) + (v5 + v6)) + (acc0));
  }
  const f32x8 v7 = acc0;
  const f32x4 x8 = (HIGH(f32x8, f32x4, v7)) + (LOW(f32x8, f32x4, v7));
  const f32x2 x9 = (HIGH(f32x4, f32x2, x8)) + (LOW(f32x4, f32x2, x8));
  *(p0 + 0) = ((f32)((x9[1]) + (x9[0])));
}
// == largest
void r_10_24_659dad8f(void *const *mem, const long long *args, long long task, char *restrict local) {
  i32 *const p0 = (i32 *)mem[0];
  f32 *const p1 = (f32 *)mem[1];
  i32x8 acc0;
  const f32x8 x1 = SPLAT(f32x8, f32, (-0x1p+31f));
  const b8x8 x2 = SPLAT(b8x8, i8, -(1));
  const f32x8 x3 = SPLAT(f32x8, f32, 0x1p+31f);
  const f32x8 x4 = SPLAT(f32x8, f32, 0x0p+0f);
  const i32x8 x5 = SPLAT(i32x8, i32, 2147483647);
  const i32x8 x6 = SPLAT(i32x8, i32, (-2147483647 - 1));
  const i32x8 x7 = SPLAT(i32x8, i32, 0);
  for (i32 r8 = 0; r8 < 2; r8++) {
    const i32 x9 = (i32)(((i32)(r8 * (-8))) + 2);
    i32 x10 = (x9 < 0) ? 0 : x9;
    const i32 x11 = (i32)(2 - x10);
    acc0 = x6;
    for (i32 r12 = 0; r12 < 24; r12++) {
      const i32 x13 = (i32)(((i32)(r12 * 10)) - x10);
      const f32x8 v14 = LOAD(f32x8, (p1 + x13) + 2);
      const b8x8 x15 = ((CONVERT(v14 < x1, b8x8)) ^ x2) & (CONVERT(v14 < x3, b8x8));
      const i32x8 x16 = WHERE(i32x8, i32x8, x15, (CONVERT((WHERE(f32x8, i32x8, x15, v14, x4)), i32x8)), (WHERE(i32x8, i32x8, (CONVERT(x4 < v14, b8x8)), x5, (WHERE(i32x8, i32x8, (CONVERT(v14 < x4, b8x8)), x6, x7)))));
      const i32x8 v17 = acc0;
      acc0 = (WHERE(i32x8, i32x8, (CONVERT(x16 < v17, b8x8)), v17, x16));
    }
    STORE(i32x8, p0 + x11, (acc0));
  }
}
// == matmul
void r_8_16_12_19faff26(void *const *mem, const long long *args, long long task, char *restrict local) {
  f32 *const p0 = (f32 *)mem[0];
  f32 *const p3 = (f32 *)mem[3];
  f32 *const p1 = (f32 *)mem[1];
  f32 *const p2 = (f32 *)mem[2];
  const f32x8 v0 = LOAD(f32x8, p3 + 0);
  f32x8 acc1;
  const f32x8 x2 = SPLAT(f32x8, f32, 0x0p+0f);
  acc1 = x2;
  f32x8 acc3;
  acc3 = x2;
  f32x8 acc4;
  acc4 = x2;
  f32x8 acc5;
  acc5 = x2;
  f32x8 acc6;
  acc6 = x2;
  f32x8 acc7;
  acc7 = x2;
  f32x8 acc8;
  acc8 = x2;
  f32x8 acc9;
  acc9 = x2;
  f32x8 acc10;
  acc10 = x2;
  f32x8 acc11;
  acc11 = x2;
  f32x8 acc12;
  acc12 = x2;
  f32x8 acc13;
  acc13 = x2;
  f32x8 acc14;
  acc14 = x2;
  f32x8 acc15;
  acc15 = x2;
  f32x8 acc16;
  acc16 = x2;
  f32x8 acc17;
  acc17 = x2;
  ROLLED
  for (i32 r18 = 0; r18 < 12; r18++) {
    const f32 v19 = *(p1 + r18);
    const f32x8 x20 = SPLAT(f32x8, f32, v19);
    const i32 x21 = (i32)(r18 * 16);
    const f32x8 v22 = LOAD(f32x8, p2 + x21);
    acc1 = (FMA_LANES(f32x8, 32, 8, x20, v22, (acc1)));
    const f32x8 v23 = LOAD(f32x8, (p2 + x21) + 8);
    acc3 = (FMA_LANES(f32x8, 32, 8, x20, v23, (acc3)));
    const f32 v24 = *((p1 + r18) + 12);
    const f32x8 x25 = SPLAT(f32x8, f32, v24);
    acc4 = (FMA_LANES(f32x8, 32, 8, x25, v22, (acc4)));
    acc5 = (FMA_LANES(f32x8, 32, 8, x25, v23, (acc5)));
    const f32 v26 = *((p1 + r18) + 24);
    const f32x8 x27 = SPLAT(f32x8, f32, v26);
    acc6 = (FMA_LANES(f32x8, 32, 8, x27, v22, (acc6)));
    acc7 = (FMA_LANES(f32x8, 32, 8, x27, v23, (acc7)));
    const f32 v28 = *((p1 + r18) + 36);
    const f32x8 x29 = SPLAT(f32x8, f32, v28);
    acc8 = (FMA_LANES(f32x8, 32, 8, x29, v22, (acc8)));
    acc9 = (FMA_LANES(f32x8, 32, 8, x29, v23, (acc9)));
    const f32 v30 = *((p1 + r18) + 48);
    const f32x8 x31 = SPLAT(f32x8, f32, v30);
    acc10 = (FMA_LANES(f32x8, 32, 8, x31, v22, (acc10)));
    acc11 = (FMA_LANES(f32x8, 32, 8, x31, v23, (acc11)));
    const f32 v32 = *((p1 + r18) + 60);
    const f32x8 x33 = SPLAT(f32x8, f32, v32);
    acc12 = (FMA_LANES(f32x8, 32, 8, x33, v22, (acc12)));
    acc13 = (FMA_LANES(f32x8, 32, 8, x33, v23, (acc13)));
    const f32 v34 = *((p1 + r18) + 72);
    const f32x8 x35 = SPLAT(f32x8, f32, v34);
    acc14 = (FMA_LANES(f32x8, 32, 8, x35, v22, (acc14)));
    acc15 = (FMA_LANES(f32x8, 32, 8, x35, v23, (acc15)));
    const f32 v36 = *((p1 + r18) + 84);
    const f32x8 x37 = SPLAT(f32x8, f32, v36);
    acc16 = (FMA_LANES(f32x8, 32, 8, x37, v22, (acc16)));
    acc17 = (FMA_LANES(f32x8, 32, 8, x37, v23, (acc17)));
  }
  const f32x8 x38 = v0 + (acc1);
  STORE(f32x8, p0 + 0, (WHERE(f32x8, i32x8, (CONVERT(x38 < x2, b8x8)), x2, x38)));
  const f32x8 v39 = LOAD(f32x8, p3 + 8);
  const f32x8 x40 = v39 + (acc3);
  STORE(f32x8, p0 + 8, (WHERE(f32x8, i32x8, (CONVERT(x40 < x2, b8x8)), x2, x40)));
  const f32x8 x41 = (acc4) + v0;
  STORE(f32x8, p0 + 16, (WHERE(f32x8, i32x8, (CONVERT(x41 < x2, b8x8)), x2, x41)));
  const f32x8 x42 = v39 + (acc5);
  STORE(f32x8, p0 + 24, (WHERE(f32x8, i32x8, (CONVERT(x42 < x2, b8x8)), x2, x42)));
  const f32x8 x43 = v0 + (acc6);
  STORE(f32x8, p0 + 32, (WHERE(f32x8, i32x8, (CONVERT(x43 < x2, b8x8)), x2, x43)));
  const f32x8 x44 = v39 + (acc7);
  STORE(f32x8, p0 + 40, (WHERE(f32x8, i32x8, (CONVERT(x44 < x2, b8x8)), x2, x44)));
  const f32x8 x45 = v0 + (acc8);
  STORE(f32x8, p0 + 48, (WHERE(f32x8, i32x8, (CONVERT(x45 < x2, b8x8)), x2, x45)));
  const f32x8 x46 = v39 + (acc9);
  STORE(f32x8, p0 + 56, (WHERE(f32x8, i32x8, (CONVERT(x46 < x2, b8x8)), x2, x46)));
  const f32x8 x47 = v0 + (acc10);
  STORE(f32x8, p0 + 64, (WHERE(f32x8, i32x8, (CONVERT(x47 < x2, b8x8)), x2, x47)));
  const f32x8 x48 = v39 + (acc11);
  STORE(f32x8, p0 + 72, (WHERE(f32x8, i32x8, (CONVERT(x48 < x2, b8x8)), x2, x48)));
  const f32x8 x49 = v0 + (acc12);
  STORE(f32x8, p0 + 80, (WHERE(f32x8, i32x8, (CONVERT(x49 < x2, b8x8)), x2, x49)));
  const f32x8 x50 = v39 + (acc13);
  STORE(f32x8, p0 + 88, (WHERE(f32x8, i32x8, (CONVERT(x50 < x2, b8x8)), x2, x50)));
  const f32x8 x51 = v0 + (acc14);
  STORE(f32x8, p0 + 96, (WHERE(f32x8, i32x8, (CONVERT(x51 < x2, b8x8)), x2, x51)));
  const f32x8 x52 = v39 + (acc15);
  STORE(f32x8, p0 + 104, (WHERE(f32x8, i32x8, (CONVERT(x52 < x2, b8x8)), x2, x52)));
  const f32x8 x53 = (acc16) + v0;
  STORE(f32x8, p0 + 112, (WHERE(f32x8, i32x8, (CONVERT(x53 < x2, b8x8)), x2, x53)));
  const f32x8 x54 = (acc17) + v39;
  STORE(f32x8, p0 + 120, (WHERE(f32x8, i32x8, (CONVERT(x54 < x2, b8x8)), x2, x54)));
}
// == softmax
void r_4_24_24_24_a9574672(void *const *mem, const long long *args, long long task, char *restrict local) {
  f32 *const p0 = (f32 *)mem[0];
  f32 *const p1 = (f32 *)mem[1];
  const f32x8 x0 = SPLAT(f32x8, f32, ((f32)__builtin_nan("")));
  const f32x4 x1 = SPLAT(f32x4, f32, ((f32)__builtin_nan("")));
  const f32x2 x2 = SPLAT(f32x2, f32, ((f32)__builtin_nan("")));
  const f32x8 x3 = SPLAT(f32x8, f32, (-0x1.08c84p+7f));
  const f32x8 x4 = SPLAT(f32x8, f32, 0x1.715476p+0f);
  const f32x8 x5 = SPLAT(f32x8, f32, 0x1.80017ep+23f);
  const f32x8 x6 = SPLAT(f32x8, f32, (-0x1.7f7d1cp-20f));
  const f32x8 x7 = SPLAT(f32x8, f32, (-0x1.62e4p-1f));
  const f32x8 x8 = SPLAT(f32x8, f32, 0x1.685168p-10f);
  const f32x8 x9 = SPLAT(f32x8, f32, 0x1.123bdap-7f);
  const f32x8 x10 = SPLAT(f32x8, f32, 0x1.555b98p-5f);
  const f32x8 x11 = SPLAT(f32x8, f32, 0x1.55548ep-3f);
  const f32x8 x12 = SPLAT(f32x8, f32, 0x1.fffff8p-2f);
  const f32x8 x13 = SPLAT(f32x8, f32, 0x1p+0f);
  const i32x8 x14 = SPLAT(i32x8, i32, 23);
  const f32x8 x15 = SPLAT(f32x8, f32, 0x1p-64f);
  f32 local16[24] __attribute__((aligned(64)));
  for (i32 r17 = 0; r17 < 4; r17++) {
    const i32 x18 = (i32)(r17 * 24);
    __builtin_prefetch((p1 + x18) + 1016, 0, 2);
    const f32x8 v19 = LOAD(f32x8, (p1 + x18) + 8);
    const f32x8 v20 = LOAD(f32x8, p1 + x18);
    const f32x8 v21 = LOAD(f32x8, (p1 + x18) + 8);
    const f32x8 x22 = WHERE(f32x8, i32x8, (CONVERT(v20 != v20, b8x8)), x0, (WHERE(f32x8, i32x8, (CONVERT(v21 < v20, b8x8)), v20, v21)));
    const f32x8 v23 = LOAD(f32x8, (p1 + x18) + 16);
    const f32x8 x24 = WHERE(f32x8, i32x8, (CONVERT(x22 != x22, b8x8)), x0, (WHERE(f32x8, i32x8, (CONVERT(v23 < x22, b8x8)), x22, v23)));
    const f32x4 x25 = HIGH(f32x8, f32x4, x24);
    const f32x4 x26 = LOW(f32x8, f32x4, x24);
    const f32x4 x27 = WHERE(f32x4, i32x4, (CONVERT(x25 != x25, b8x4)), x1, (WHERE(f32x4, i32x4, (CONVERT(x26 < x25, b8x4)), x25, x26)));
    const f32x2 x28 = HIGH(f32x4, f32x2, x27);
    const f32x2 x29 = LOW(f32x4, f32x2, x27);
    const f32x2 x30 = WHERE(f32x2, i32x2, (CONVERT(x28 != x28, b8x2)), x2, (WHERE(f32x2, i32x2, (CONVERT(x29 < x28, b8x2)), x28, x29)));
    const f32 x31 = x30[1];
    const f32 x32 = x30[0];
    const f32x8 x33 = SPLAT(f32x8, f32, ((x31 != x31) ? ((f32)__builtin_nan("")) : ((x32 < x31) ? x31 : x32)));
    const f32x8 x34 = v19 - x33;
    const f32x8 x35 = WHERE(f32x8, i32x8, (CONVERT(x34 < x3, b8x8)), x3, x34);
    const f32x8 x36 = FMA_LANES(f32x8, 32, 8, x35, x4, x5);
    const f32x8 x37 = x36 - x5;
    const f32x8 x38 = FMA_LANES(f32x8, 32, 8, x37, x6, (FMA_LANES(f32x8, 32, 8, x37, x7, x35)));
    const f32x8 x39 = ((FMA_LANES(f32x8, 32, 8, x38, (FMA_LANES(f32x8, 32, 8, (FMA_LANES(f32x8, 32, 8, (FMA_LANES(f32x8, 32, 8, x38, (FMA_LANES(f32x8, 32, 8, (FMA_LANES(f32x8, 32, 8, x38, x8, x9)), x38, x10)), x11)), x38, x12)), x38, x13)), x13)) * ((f32x8)(((i32x8)x36) << x14))) * x15;
    STORE(f32x8, local16 + 8, x39);
    __builtin_prefetch((p1 + x18) + 1008, 0, 2);
    const f32x8 v40 = LOAD(f32x8, p1 + x18);
    const f32x8 x41 = v40 - x33;
    const f32x8 x42 = WHERE(f32x8, i32x8, (CONVERT(x41 < x3, b8x8)), x3, x41);
    const f32x8 x43 = FMA_LANES(f32x8, 32, 8, x42, x4, x5);
    const f32x8 x44 = x43 - x5;
    const f32x8 x45 = FMA_LANES(f32x8, 32, 8, x44, x6, (FMA_LANES(f32x8, 32, 8, x44, x7, x42)));
    const f32x8 x46 = ((FMA_LANES(f32x8, 32, 8, x45, (FMA_LANES(f32x8, 32, 8, x45, (FMA_LANES(f32x8, 32, 8, x45, (FMA_LANES(f32x8, 32, 8, x45, (FMA_LANES(f32x8, 32, 8, x45, (FMA_LANES(f32x8, 32, 8, x45, x8, x9)), x10)), x11)), x12)), x13)), x13)) * ((f32x8)(((i32x8)x43) << x14))) * x15;
    STORE(f32x8, local16 + 0, x46);
    __builtin_prefetch((p1 + x18) + 1024, 0, 2);
    const f32x8 v47 = LOAD(f32x8, (p1 + x18) + 16);
    const f32x8 x48 = v47 - x33;
    const f32x8 x49 = WHERE(f32x8, i32x8, (CONVERT(x48 < x3, b8x8)), x3, x48);
    const f32x8 x50 = FMA_LANES(f32x8, 32, 8, x49, x4, x5);
    const f32x8 x51 = x50 - x5;
    const f32x8 x52 = FMA_LANES(f32x8, 32, 8, x51, x6, (FMA_LANES(f32x8, 32, 8, x51, x7, x49)));
    const f32x8 x53 = ((FMA_LANES(f32x8, 32, 8, (FMA_LANES(f32x8, 32, 8, (FMA_LANES(f32x8, 32, 8, x52, (FMA_LANES(f32x8, 32, 8, (FMA_LANES(f32x8, 32, 8, (FMA_LANES(f32x8, 32, 8, x52, x8, x9)), x52, x10)), x52, x11)), x12)), x52, x13)), x52, x13)) * ((f32x8)(((i32x8)x50) << x14))) * x15;
    STORE(f32x8, local16 + 16, x53);
    const f32x8 x54 = (x39 + x46) + x53;
    const f32x4 x55 = (HIGH(f32x8, f32x4, x54)) + (LOW(f32x8, f32x4, x54));
    const f32x2 x56 = (HIGH(f32x4, f32x2, x55)) + (LOW(f32x4, f32x2, x55));
    const f32 x57 = (f32)((x56[0]) + (x56[1]));
    const f32x8 x58 = SPLAT(f32x8, f32, (0x1p+0f / x57));
    for (i32 r59 = 0; r59 < 3; r59++) {
      const i32 x60 = (i32)(r59 * 8);
      const i32 x61 = (i32)(x60 + x18);
      const f32x8 v62 = LOAD(f32x8, local16 + x60);
      STORE(f32x8, p0 + x61, (x58 * v62));
    }
  }
}
// == conv2d
void r_2_4_6_6_3_3_3_fe3bf2f9(void *const *mem, const long long *args, long long task, char *restrict local) {
  f32 *const p0 = (f32 *)mem[0];
  f32 *const p2 = (f32 *)mem[2];
  f32 *const p1 = (f32 *)mem[1];
  const f32 v0 = *(p2 + 7);
  const f32x4 x1 = SPLAT(f32x4, f32, v0);
  const f32 v2 = *(p2 + 4);
  const f32x4 x3 = SPLAT(f32x4, f32, v2);
  const f32 v4 = *(p2 + 24);
  const f32x4 x5 = SPLAT(f32x4, f32, v4);
  const f32 v6 = *(p2 + 1);
  const f32x4 x7 = SPLAT(f32x4, f32, v6);
  const f32 v8 = *(p2 + 13);
  const f32x4 x9 = SPLAT(f32x4, f32, v8);
  const f32 v10 = *(p2 + 10);
  const f32x4 x11 = SPLAT(f32x4, f32, v10);
  const f32 v12 = *(p2 + 19);
  const f32x4 x13 = SPLAT(f32x4, f32, v12);
  const f32 v14 = *(p2 + 16);
  const f32x4 x15 = SPLAT(f32x4, f32, v14);
  const f32 v16 = *(p2 + 18);
  const f32x4 x17 = SPLAT(f32x4, f32, v16);
  const f32 v18 = *(p2 + 21);
  const f32x4 x19 = SPLAT(f32x4, f32, v18);
  const f32 v20 = *(p2 + 12);
  const f32x4 x21 = SPLAT(f32x4, f32, v20);
  const f32 v22 = *(p2 + 15);
  const f32x4 x23 = SPLAT(f32x4, f32, v22);
  const f32 v24 = *(p2 + 9);
  const f32x4 x25 = SPLAT(f32x4, f32, v24);
  const f32 v26 = *(p2 + 6);
  const f32x4 x27 = SPLAT(f32x4, f32, v26);
  const f32 v28 = *(p2 + 0);
  const f32x4 x29 = SPLAT(f32x4, f32, v28);
  const f32 v30 = *(p2 + 3);
  const f32x4 x31 = SPLAT(f32x4, f32, v30);
  const f32 v32 = *(p2 + 26);
  const f32x4 x33 = SPLAT(f32x4, f32, v32);
  const f32 v34 = *(p2 + 20);
  const f32x4 x35 = SPLAT(f32x4, f32, v34);
  const f32 v36 = *(p2 + 23);
  const f32x4 x37 = SPLAT(f32x4, f32, v36);
  const f32 v38 = *(p2 + 14);
  const f32x4 x39 = SPLAT(f32x4, f32, v38);
  const f32 v40 = *(p2 + 17);
  const f32x4 x41 = SPLAT(f32x4, f32, v40);
  const f32 v42 = *(p2 + 8);
  const f32x4 x43 = SPLAT(f32x4, f32, v42);
  const f32 v44 = *(p2 + 11);
  const f32x4 x45 = SPLAT(f32x4, f32, v44);
  const f32 v46 = *(p2 + 25);
  const f32x4 x47 = SPLAT(f32x4, f32, v46);
  const f32 v48 = *(p2 + 22);
  const f32x4 x49 = SPLAT(f32x4, f32, v48);
  const f32 v50 = *(p2 + 5);
  const f32x4 x51 = SPLAT(f32x4, f32, v50);
  const f32 v52 = *(p2 + 2);
  const f32x4 x53 = SPLAT(f32x4, f32, v52);
  const f32 v54 = *(p2 + 51);
  const f32x4 x55 = SPLAT(f32x4, f32, v54);
  const f32 v56 = *(p2 + 28);
  const f32x4 x57 = SPLAT(f32x4, f32, v56);
  const f32 v58 = *(p2 + 34);
  const f32x4 x59 = SPLAT(f32x4, f32, v58);
  const f32 v60 = *(p2 + 31);
  const f32x4 x61 = SPLAT(f32x4, f32, v60);
  const f32 v62 = *(p2 + 46);
  const f32x4 x63 = SPLAT(f32x4, f32, v62);
  const f32 v64 = *(p2 + 43);
  const f32x4 x65 = SPLAT(f32x4, f32, v64);
  const f32 v66 = *(p2 + 37);
  const f32x4 x67 = SPLAT(f32x4, f32, v66);
  const f32 v68 = *(p2 + 40);
  const f32x4 x69 = SPLAT(f32x4, f32, v68);
  const f32 v70 = *(p2 + 30);
  const f32x4 x71 = SPLAT(f32x4, f32, v70);
  const f32 v72 = *(p2 + 27);
  const f32x4 x73 = SPLAT(f32x4, f32, v72);
  const f32 v74 = *(p2 + 36);
  const f32x4 x75 = SPLAT(f32x4, f32, v74);
  const f32 v76 = *(p2 + 33);
  const f32x4 x77 = SPLAT(f32x4, f32, v76);
  const f32 v78 = *(p2 + 42);
  const f32x4 x79 = SPLAT(f32x4, f32, v78);
  const f32 v80 = *(p2 + 39);
  const f32x4 x81 = SPLAT(f32x4, f32, v80);
  const f32 v82 = *(p2 + 45);
  const f32x4 x83 = SPLAT(f32x4, f32, v82);
  const f32 v84 = *(p2 + 48);
  const f32x4 x85 = SPLAT(f32x4, f32, v84);
  const f32 v86 = *(p2 + 53);
  const f32x4 x87 = SPLAT(f32x4, f32, v86);
  const f32 v88 = *(p2 + 50);
  const f32x4 x89 = SPLAT(f32x4, f32, v88);
  const f32 v90 = *(p2 + 47);
  const f32x4 x91 = SPLAT(f32x4, f32, v90);
  const f32 v92 = *(p2 + 32);
  const f32x4 x93 = SPLAT(f32x4, f32, v92);
  const f32 v94 = *(p2 + 29);
  const f32x4 x95 = SPLAT(f32x4, f32, v94);
  const f32 v96 = *(p2 + 52);
  const f32x4 x97 = SPLAT(f32x4, f32, v96);
  const f32 v98 = *(p2 + 49);
  const f32x4 x99 = SPLAT(f32x4, f32, v98);
  const f32 v100 = *(p2 + 44);
  const f32x4 x101 = SPLAT(f32x4, f32, v100);
  const f32 v102 = *(p2 + 41);
  const f32x4 x103 = SPLAT(f32x4, f32, v102);
  const f32 v104 = *(p2 + 38);
  const f32x4 x105 = SPLAT(f32x4, f32, v104);
  const f32 v106 = *(p2 + 35);
  const f32x4 x107 = SPLAT(f32x4, f32, v106);
  const f32 v108 = *(p2 + 80);
  const f32x4 x109 = SPLAT(f32x4, f32, v108);
  const f32 v110 = *(p2 + 77);
  const f32x4 x111 = SPLAT(f32x4, f32, v110);
  const f32 v112 = *(p2 + 74);
  const f32x4 x113 = SPLAT(f32x4, f32, v112);
  const f32 v114 = *(p2 + 56);
  const f32x4 x115 = SPLAT(f32x4, f32, v114);
  const f32 v116 = *(p2 + 59);
  const f32x4 x117 = SPLAT(f32x4, f32, v116);
  const f32 v118 = *(p2 + 76);
  const f32x4 x119 = SPLAT(f32x4, f32, v118);
  const f32 v120 = *(p2 + 79);
  const f32x4 x121 = SPLAT(f32x4, f32, v120);
  const f32 v122 = *(p2 + 65);
  const f32x4 x123 = SPLAT(f32x4, f32, v122);
  const f32 v124 = *(p2 + 62);
  const f32x4 x125 = SPLAT(f32x4, f32, v124);
  const f32 v126 = *(p2 + 68);
  const f32x4 x127 = SPLAT(f32x4, f32, v126);
  const f32 v128 = *(p2 + 71);
  const f32x4 x129 = SPLAT(f32x4, f32, v128);
  const f32 v130 = *(p2 + 55);
  const f32x4 x131 = SPLAT(f32x4, f32, v130);
  const f32 v132 = *(p2 + 78);
  const f32x4 x133 = SPLAT(f32x4, f32, v132);
  const f32 v134 = *(p2 + 61);
  const f32x4 x135 = SPLAT(f32x4, f32, v134);
  const f32 v136 = *(p2 + 58);
  const f32x4 x137 = SPLAT(f32x4, f32, v136);
  const f32 v138 = *(p2 + 64);
  const f32x4 x139 = SPLAT(f32x4, f32, v138);
  const f32 v140 = *(p2 + 67);
  const f32x4 x141 = SPLAT(f32x4, f32, v140);
  const f32 v142 = *(p2 + 70);
  const f32x4 x143 = SPLAT(f32x4, f32, v142);
  const f32 v144 = *(p2 + 73);
  const f32x4 x145 = SPLAT(f32x4, f32, v144);
  const f32 v146 = *(p2 + 60);
  const f32x4 x147 = SPLAT(f32x4, f32, v146);
  const f32 v148 = *(p2 + 63);
  const f32x4 x149 = SPLAT(f32x4, f32, v148);
  const f32 v150 = *(p2 + 54);
  const f32x4 x151 = SPLAT(f32x4, f32, v150);
  const f32 v152 = *(p2 + 57);
  const f32x4 x153 = SPLAT(f32x4, f32, v152);
  const f32 v154 = *(p2 + 66);
  const f32x4 x155 = SPLAT(f32x4, f32, v154);
  const f32 v156 = *(p2 + 69);
  const f32x4 x157 = SPLAT(f32x4, f32, v156);
  const f32 v158 = *(p2 + 75);
  const f32x4 x159 = SPLAT(f32x4, f32, v158);
  const f32 v160 = *(p2 + 72);
  const f32x4 x161 = SPLAT(f32x4, f32, v160);
  const f32 v162 = *(p2 + 107);
  const f32x4 x163 = SPLAT(f32x4, f32, v162);
  const f32 v164 = *(p2 + 104);
  const f32x4 x165 = SPLAT(f32x4, f32, v164);
  const f32 v166 = *(p2 + 101);
  const f32x4 x167 = SPLAT(f32x4, f32, v166);
  const f32 v168 = *(p2 + 86);
  const f32x4 x169 = SPLAT(f32x4, f32, v168);
  const f32 v170 = *(p2 + 83);
  const f32x4 x171 = SPLAT(f32x4, f32, v170);
  const f32 v172 = *(p2 + 106);
  const f32x4 x173 = SPLAT(f32x4, f32, v172);
  const f32 v174 = *(p2 + 103);
  const f32x4 x175 = SPLAT(f32x4, f32, v174);
  const f32 v176 = *(p2 + 89);
  const f32x4 x177 = SPLAT(f32x4, f32, v176);
  const f32 v178 = *(p2 + 92);
  const f32x4 x179 = SPLAT(f32x4, f32, v178);
  const f32 v180 = *(p2 + 98);
  const f32x4 x181 = SPLAT(f32x4, f32, v180);
  const f32 v182 = *(p2 + 95);
  const f32x4 x183 = SPLAT(f32x4, f32, v182);
  const f32 v184 = *(p2 + 100);
  const f32x4 x185 = SPLAT(f32x4, f32, v184);
  const f32 v186 = *(p2 + 97);
  const f32x4 x187 = SPLAT(f32x4, f32, v186);
  const f32 v188 = *(p2 + 94);
  const f32x4 x189 = SPLAT(f32x4, f32, v188);
  const f32 v190 = *(p2 + 91);
  const f32x4 x191 = SPLAT(f32x4, f32, v190);
  const f32 v192 = *(p2 + 85);
  const f32x4 x193 = SPLAT(f32x4, f32, v192);
  const f32 v194 = *(p2 + 88);
  const f32x4 x195 = SPLAT(f32x4, f32, v194);
  const f32 v196 = *(p2 + 105);
  const f32x4 x197 = SPLAT(f32x4, f32, v196);
  const f32 v198 = *(p2 + 82);
  const f32x4 x199 = SPLAT(f32x4, f32, v198);
  const f32 v200 = *(p2 + 93);
  const f32x4 x201 = SPLAT(f32x4, f32, v200);
  const f32 v202 = *(p2 + 96);
  const f32x4 x203 = SPLAT(f32x4, f32, v202);
  const f32 v204 = *(p2 + 102);
  const f32x4 x205 = SPLAT(f32x4, f32, v204);
  const f32 v206 = *(p2 + 99);
  const f32x4 x207 = SPLAT(f32x4, f32, v206);
  const f32 v208 = *(p2 + 87);
  const f32x4 x209 = SPLAT(f32x4, f32, v208);
  const f32 v210 = *(p2 + 90);
  const f32x4 x211 = SPLAT(f32x4, f32, v210);
  const f32 v212 = *(p2 + 84);
  const f32x4 x213 = SPLAT(f32x4, f32, v212);
  const f32 v214 = *(p2 + 81);
  const f32x4 x215 = SPLAT(f32x4, f32, v214);
  for (i32 r216 = 0; r216 < 2; r216++) {
    const i32 x217 = (i32)(r216 * 144);
    const i32 x218 = (i32)(r216 * 192);
    for (i32 r219 = 0; r219 < 2; r219++) {
      const i32 x220 = (i32)(((i32)(r219 * (-4))) + 2);
      i32 x221 = (x220 < 0) ? 0 : x220;
      const i32 x222 = (i32)(x217 - x221);
      const i32 x223 = (i32)(x218 - x221);
      const f32x4 v224 = LOAD(f32x4, (p1 + x223) + 19);
      const f32x4 v225 = LOAD(f32x4, (p1 + x223) + 11);
      const f32x4 v226 = LOAD(f32x4, (p1 + x223) + 146);
      const f32x4 v227 = LOAD(f32x4, (p1 + x223) + 3);
      const f32x4 v228 = LOAD(f32x4, (p1 + x223) + 75);
      const f32x4 v229 = LOAD(f32x4, (p1 + x223) + 67);
      const f32x4 v230 = LOAD(f32x4, (p1 + x223) + 131);
      const f32x4 v231 = LOAD(f32x4, (p1 + x223) + 83);
      const f32x4 v232 = LOAD(f32x4, (p1 + x223) + 130);
      const f32x4 v233 = LOAD(f32x4, (p1 + x223) + 138);
      const f32x4 v234 = LOAD(f32x4, (p1 + x223) + 74);
      const f32x4 v235 = LOAD(f32x4, (p1 + x223) + 82);
      const f32x4 v236 = LOAD(f32x4, (p1 + x223) + 66);
      const f32x4 v237 = LOAD(f32x4, (p1 + x223) + 18);
      const f32x4 v238 = LOAD(f32x4, (p1 + x223) + 2);
      const f32x4 v239 = LOAD(f32x4, (p1 + x223) + 10);
      const f32x4 x240 = (((FMA_LANES(f32x4, 32, 4, x1, v224, (x3 * v225))) + (FMA_LANES(f32x4, 32, 4, x5, v226, (x7 * v227)))) + ((FMA_LANES(f32x4, 32, 4, x9, v228, (x11 * v229))) + (FMA_LANES(f32x4, 32, 4, x13, v230, (x15 * v231))))) + (((FMA_LANES(f32x4, 32, 4, x17, v232, (x19 * v233))) + (FMA_LANES(f32x4, 32, 4, x21, v234, (x23 * v235)))) + ((FMA_LANES(f32x4, 32, 4, x25, v236, (x27 * v237))) + (FMA_LANES(f32x4, 32, 4, x29, v238, (x31 * v239)))));
      const f32x4 v241 = LOAD(f32x4, (p1 + x223) + 148);
      const f32x4 v242 = LOAD(f32x4, (p1 + x223) + 132);
      const f32x4 v243 = LOAD(f32x4, (p1 + x223) + 140);
      const f32x4 v244 = LOAD(f32x4, (p1 + x223) + 76);
      const f32x4 v245 = LOAD(f32x4, (p1 + x223) + 84);
      const f32x4 v246 = LOAD(f32x4, (p1 + x223) + 20);
      const f32x4 v247 = LOAD(f32x4, (p1 + x223) + 68);
      const f32x4 v248 = LOAD(f32x4, (p1 + x223) + 147);
      const f32x4 v249 = LOAD(f32x4, (p1 + x223) + 139);
      const f32x4 v250 = LOAD(f32x4, (p1 + x223) + 12);
      const f32x4 v251 = LOAD(f32x4, (p1 + x223) + 4);
      STORE(f32x4, (p0 + x222) + 2, (x240 + ((FMA_LANES(f32x4, 32, 4, x33, v241, (FMA_LANES(f32x4, 32, 4, x35, v242, (x37 * v243))))) + (((FMA_LANES(f32x4, 32, 4, x39, v244, (x41 * v245))) + (FMA_LANES(f32x4, 32, 4, x43, v246, (x45 * v247)))) + ((FMA_LANES(f32x4, 32, 4, x47, v248, (x49 * v249))) + (FMA_LANES(f32x4, 32, 4, x51, v250, (x53 * v251))))))));
      const f32x4 v252 = LOAD(f32x4, (p1 + x223) + 90);
      const f32x4 v253 = LOAD(f32x4, (p1 + x223) + 26);
      const f32x4 v254 = LOAD(f32x4, (p1 + x223) + 91);
      const f32x4 v255 = LOAD(f32x4, (p1 + x223) + 27);
      const f32x4 v256 = LOAD(f32x4, (p1 + x223) + 154);
      const f32x4 x257 = (((FMA_LANES(f32x4, 32, 4, x17, v233, (x19 * v226))) + (FMA_LANES(f32x4, 32, 4, x23, v252, (x21 * v235)))) + ((FMA_LANES(f32x4, 32, 4, x31, v237, (x29 * v239))) + (FMA_LANES(f32x4, 32, 4, x25, v234, (x27 * v253))))) + (((FMA_LANES(f32x4, 32, 4, x13, v249, (x15 * v254))) + (FMA_LANES(f32x4, 32, 4, x9, v231, (x11 * v228)))) + ((FMA_LANES(f32x4, 32, 4, x1, v255, (x3 * v224))) + (FMA_LANES(f32x4, 32, 4, x7, v225, (x5 * v256)))));
      const f32x4 v258 = LOAD(f32x4, (p1 + x223) + 156);
      const f32x4 v259 = LOAD(f32x4, (p1 + x223) + 28);
      const f32x4 v260 = LOAD(f32x4, (p1 + x223) + 92);
      const f32x4 v261 = LOAD(f32x4, (p1 + x223) + 155);
      STORE(f32x4, (p0 + x222) + 8, (x257 + ((FMA_LANES(f32x4, 32, 4, x33, v258, (FMA_LANES(f32x4, 32, 4, x35, v243, (x37 * v241))))) + (((FMA_LANES(f32x4, 32, 4, x43, v259, (x45 * v244))) + (FMA_LANES(f32x4, 32, 4, x41, v260, (x39 * v245)))) + ((FMA_LANES(f32x4, 32, 4, x51, v246, (x53 * v250))) + (FMA_LANES(f32x4, 32, 4, x47, v261, (x49 * v248))))))));
      const f32x4 v262 = LOAD(f32x4, (p1 + x223) + 164);
      const f32x4 v263 = LOAD(f32x4, (p1 + x223) + 36);
      const f32x4 v264 = LOAD(f32x4, (p1 + x223) + 100);
      const f32x4 v265 = LOAD(f32x4, (p1 + x223) + 163);
      const f32x4 v266 = LOAD(f32x4, (p1 + x223) + 99);
      const f32x4 v267 = LOAD(f32x4, (p1 + x223) + 162);
      const f32x4 v268 = LOAD(f32x4, (p1 + x223) + 35);
      const f32x4 v269 = LOAD(f32x4, (p1 + x223) + 34);
      const f32x4 v270 = LOAD(f32x4, (p1 + x223) + 98);
      const f32x4 x271 = (((FMA_LANES(f32x4, 32, 4, x15, v266, (x13 * v248))) + (FMA_LANES(f32x4, 32, 4, x9, v254, (x11 * v231)))) + ((FMA_LANES(f32x4, 32, 4, x7, v224, (x5 * v267))) + (FMA_LANES(f32x4, 32, 4, x1, v268, (x3 * v255))))) + (((FMA_LANES(f32x4, 32, 4, x29, v237, (x31 * v253))) + (FMA_LANES(f32x4, 32, 4, x25, v235, (x27 * v269)))) + ((FMA_LANES(f32x4, 32, 4, x21, v252, (x23 * v270))) + (FMA_LANES(f32x4, 32, 4, x19, v256, (x17 * v226)))));
      STORE(f32x4, (p0 + x222) + 14, (((FMA_LANES(f32x4, 32, 4, x33, v262, (FMA_LANES(f32x4, 32, 4, x35, v241, (x37 * v258))))) + (((FMA_LANES(f32x4, 32, 4, x43, v263, (x45 * v245))) + (FMA_LANES(f32x4, 32, 4, x39, v260, (x41 * v264)))) + ((FMA_LANES(f32x4, 32, 4, x47, v265, (x49 * v261))) + (FMA_LANES(f32x4, 32, 4, x53, v246, (x51 * v259)))))) + x271));
      const f32x4 v272 = LOAD(f32x4, (p1 + x223) + 42);
      const f32x4 v273 = LOAD(f32x4, (p1 + x223) + 106);
      const f32x4 v274 = LOAD(f32x4, (p1 + x223) + 107);
      const f32x4 v275 = LOAD(f32x4, (p1 + x223) + 170);
      const f32x4 v276 = LOAD(f32x4, (p1 + x223) + 43);
      const f32x4 x277 = (((FMA_LANES(f32x4, 32, 4, x27, v272, (x25 * v252))) + (FMA_LANES(f32x4, 32, 4, x31, v269, (x29 * v253)))) + ((FMA_LANES(f32x4, 32, 4, x19, v267, (x17 * v256))) + (FMA_LANES(f32x4, 32, 4, x21, v270, (x23 * v273))))) + (((FMA_LANES(f32x4, 32, 4, x15, v274, (x13 * v261))) + (FMA_LANES(f32x4, 32, 4, x11, v254, (x9 * v266)))) + ((FMA_LANES(f32x4, 32, 4, x5, v275, (x7 * v255))) + (FMA_LANES(f32x4, 32, 4, x3, v268, (x1 * v276)))));
      const f32x4 v278 = LOAD(f32x4, (p1 + x223) + 172);
      const f32x4 v279 = LOAD(f32x4, (p1 + x223) + 171);
      const f32x4 v280 = LOAD(f32x4, (p1 + x223) + 108);
      const f32x4 v281 = LOAD(f32x4, (p1 + x223) + 44);
      STORE(f32x4, (p0 + x222) + 20, (x277 + ((FMA_LANES(f32x4, 32, 4, x33, v278, (FMA_LANES(f32x4, 32, 4, x35, v258, (x37 * v262))))) + (((FMA_LANES(f32x4, 32, 4, x51, v263, (x53 * v259))) + (FMA_LANES(f32x4, 32, 4, x49, v265, (x47 * v279)))) + ((FMA_LANES(f32x4, 32, 4, x41, v280, (x39 * v264))) + (FMA_LANES(f32x4, 32, 4, x45, v260, (x43 * v281))))))));
      const f32x4 v282 = LOAD(f32x4, (p1 + x223) + 180);
      const f32x4 v283 = LOAD(f32x4, (p1 + x223) + 116);
      const f32x4 v284 = LOAD(f32x4, (p1 + x223) + 52);
      const f32x4 v285 = LOAD(f32x4, (p1 + x223) + 179);
      const f32x4 v286 = LOAD(f32x4, (p1 + x223) + 114);
      const f32x4 v287 = LOAD(f32x4, (p1 + x223) + 50);
      const f32x4 v288 = LOAD(f32x4, (p1 + x223) + 115);
      const f32x4 v289 = LOAD(f32x4, (p1 + x223) + 178);
      const f32x4 v290 = LOAD(f32x4, (p1 + x223) + 51);
      const f32x4 x291 = (((FMA_LANES(f32x4, 32, 4, x19, v275, (x17 * v267))) + (FMA_LANES(f32x4, 32, 4, x21, v273, (x23 * v286)))) + ((FMA_LANES(f32x4, 32, 4, x31, v272, (x29 * v269))) + (FMA_LANES(f32x4, 32, 4, x27, v287, (x25 * v270))))) + (((FMA_LANES(f32x4, 32, 4, x9, v274, (x11 * v266))) + (FMA_LANES(f32x4, 32, 4, x15, v288, (x13 * v265)))) + ((FMA_LANES(f32x4, 32, 4, x7, v268, (x5 * v289))) + (FMA_LANES(f32x4, 32, 4, x3, v276, (x1 * v290)))));
      STORE(f32x4, (p0 + x222) + 26, (((FMA_LANES(f32x4, 32, 4, x33, v282, (FMA_LANES(f32x4, 32, 4, x35, v262, (x37 * v278))))) + (((FMA_LANES(f32x4, 32, 4, x41, v283, (x39 * v280))) + (FMA_LANES(f32x4, 32, 4, x43, v284, (x45 * v264)))) + ((FMA_LANES(f32x4, 32, 4, x47, v285, (x49 * v279))) + (FMA_LANES(f32x4, 32, 4, x51, v281, (x53 * v263)))))) + x291));
      const f32x4 v292 = LOAD(f32x4, (p1 + x223) + 58);
      const f32x4 v293 = LOAD(f32x4, (p1 + x223) + 122);
      const f32x4 v294 = LOAD(f32x4, (p1 + x223) + 123);
      const f32x4 v295 = LOAD(f32x4, (p1 + x223) + 59);
      const f32x4 v296 = LOAD(f32x4, (p1 + x223) + 186);
      const f32x4 x297 = (((FMA_LANES(f32x4, 32, 4, x31, v287, (x29 * v272))) + (FMA_LANES(f32x4, 32, 4, x27, v292, (x25 * v273)))) + ((FMA_LANES(f32x4, 32, 4, x19, v289, (x17 * v275))) + (FMA_LANES(f32x4, 32, 4, x21, v286, (x23 * v293))))) + (((FMA_LANES(f32x4, 32, 4, x9, v288, (x11 * v274))) + (FMA_LANES(f32x4, 32, 4, x15, v294, (x13 * v279)))) + ((FMA_LANES(f32x4, 32, 4, x3, v290, (x1 * v295))) + (FMA_LANES(f32x4, 32, 4, x5, v296, (x7 * v276)))));
      const f32x4 v298 = LOAD(f32x4, (p1 + x223) + 188);
      const f32x4 v299 = LOAD(f32x4, (p1 + x223) + 60);
      const f32x4 v300 = LOAD(f32x4, (p1 + x223) + 124);
      const f32x4 v301 = LOAD(f32x4, (p1 + x223) + 187);
      STORE(f32x4, (p0 + x222) + 32, (x297 + ((FMA_LANES(f32x4, 32, 4, x33, v298, (FMA_LANES(f32x4, 32, 4, x37, v282, (x35 * v278))))) + (((FMA_LANES(f32x4, 32, 4, x43, v299, (x45 * v280))) + (FMA_LANES(f32x4, 32, 4, x41, v300, (x39 * v283)))) + ((FMA_LANES(f32x4, 32, 4, x47, v301, (x49 * v285))) + (FMA_LANES(f32x4, 32, 4, x53, v281, (x51 * v284))))))));
      const f32x4 x302 = (((FMA_LANES(f32x4, 32, 4, x55, v226, (x57 * v227))) + (FMA_LANES(f32x4, 32, 4, x59, v224, (x61 * v225)))) + ((FMA_LANES(f32x4, 32, 4, x63, v230, (x65 * v231))) + (FMA_LANES(f32x4, 32, 4, x67, v229, (x69 * v228))))) + (((FMA_LANES(f32x4, 32, 4, x71, v239, (x73 * v238))) + (FMA_LANES(f32x4, 32, 4, x75, v236, (x77 * v237)))) + ((FMA_LANES(f32x4, 32, 4, x79, v235, (x81 * v234))) + (FMA_LANES(f32x4, 32, 4, x83, v232, (x85 * v233)))));
      STORE(f32x4, (p0 + x222) + 38, (x302 + ((FMA_LANES(f32x4, 32, 4, x87, v241, (FMA_LANES(f32x4, 32, 4, x89, v243, (x91 * v242))))) + (((FMA_LANES(f32x4, 32, 4, x93, v250, (x95 * v251))) + (FMA_LANES(f32x4, 32, 4, x97, v248, (x99 * v249)))) + ((FMA_LANES(f32x4, 32, 4, x101, v245, (x103 * v244))) + (FMA_LANES(f32x4, 32, 4, x105, v247, (x107 * v246))))))));
      const f32x4 x303 = (((FMA_LANES(f32x4, 32, 4, x85, v226, (x83 * v233))) + (FMA_LANES(f32x4, 32, 4, x81, v235, (x79 * v252)))) + ((FMA_LANES(f32x4, 32, 4, x73, v239, (x71 * v237))) + (FMA_LANES(f32x4, 32, 4, x75, v234, (x77 * v253))))) + (((FMA_LANES(f32x4, 32, 4, x57, v225, (x55 * v256))) + (FMA_LANES(f32x4, 32, 4, x59, v255, (x61 * v224)))) + ((FMA_LANES(f32x4, 32, 4, x67, v228, (x69 * v231))) + (FMA_LANES(f32x4, 32, 4, x65, v254, (x63 * v249)))));
      STORE(f32x4, (p0 + x222) + 44, (x303 + ((FMA_LANES(f32x4, 32, 4, x87, v258, (FMA_LANES(f32x4, 32, 4, x91, v243, (x89 * v241))))) + (((FMA_LANES(f32x4, 32, 4, x97, v261, (x99 * v248))) + (FMA_LANES(f32x4, 32, 4, x93, v246, (x95 * v250)))) + ((FMA_LANES(f32x4, 32, 4, x105, v244, (x107 * v259))) + (FMA_LANES(f32x4, 32, 4, x103, v245, (x101 * v260))))))));
      const f32x4 x304 = (((FMA_LANES(f32x4, 32, 4, x67, v231, (x69 * v254))) + (FMA_LANES(f32x4, 32, 4, x63, v248, (x65 * v266)))) + ((FMA_LANES(f32x4, 32, 4, x61, v255, (x59 * v268))) + (FMA_LANES(f32x4, 32, 4, x55, v267, (x57 * v224))))) + (((FMA_LANES(f32x4, 32, 4, x81, v252, (x79 * v270))) + (FMA_LANES(f32x4, 32, 4, x85, v256, (x83 * v226)))) + ((FMA_LANES(f32x4, 32, 4, x71, v253, (x73 * v237))) + (FMA_LANES(f32x4, 32, 4, x77, v269, (x75 * v235)))));
      STORE(f32x4, (p0 + x222) + 50, (((FMA_LANES(f32x4, 32, 4, x87, v262, (FMA_LANES(f32x4, 32, 4, x89, v258, (x91 * v241))))) + (((FMA_LANES(f32x4, 32, 4, x99, v261, (x97 * v265))) + (FMA_LANES(f32x4, 32, 4, x95, v246, (x93 * v259)))) + ((FMA_LANES(f32x4, 32, 4, x107, v263, (x105 * v245))) + (FMA_LANES(f32x4, 32, 4, x101, v264, (x103 * v260)))))) + x304));
      const f32x4 x305 = (((FMA_LANES(f32x4, 32, 4, x65, v274, (x63 * v261))) + (FMA_LANES(f32x4, 32, 4, x69, v266, (x67 * v254)))) + ((FMA_LANES(f32x4, 32, 4, x59, v276, (x61 * v268))) + (FMA_LANES(f32x4, 32, 4, x57, v255, (x55 * v275))))) + (((FMA_LANES(f32x4, 32, 4, x81, v270, (x79 * v273))) + (FMA_LANES(f32x4, 32, 4, x83, v256, (x85 * v267)))) + ((FMA_LANES(f32x4, 32, 4, x71, v269, (x73 * v253))) + (FMA_LANES(f32x4, 32, 4, x77, v272, (x75 * v252)))));
      STORE(f32x4, (p0 + x222) + 56, (x305 + ((FMA_LANES(f32x4, 32, 4, x87, v278, (FMA_LANES(f32x4, 32, 4, x89, v262, (x91 * v258))))) + (((FMA_LANES(f32x4, 32, 4, x97, v279, (x99 * v265))) + (FMA_LANES(f32x4, 32, 4, x95, v259, (x93 * v263)))) + ((FMA_LANES(f32x4, 32, 4, x103, v264, (x101 * v280))) + (FMA_LANES(f32x4, 32, 4, x105, v260, (x107 * v281))))))));
      const f32x4 x306 = (((FMA_LANES(f32x4, 32, 4, x63, v265, (x65 * v288))) + (FMA_LANES(f32x4, 32, 4, x67, v266, (x69 * v274)))) + ((FMA_LANES(f32x4, 32, 4, x55, v289, (x57 * v268))) + (FMA_LANES(f32x4, 32, 4, x61, v276, (x59 * v290))))) + (((FMA_LANES(f32x4, 32, 4, x73, v269, (x71 * v272))) + (FMA_LANES(f32x4, 32, 4, x77, v287, (x75 * v270)))) + ((FMA_LANES(f32x4, 32, 4, x83, v267, (x85 * v275))) + (FMA_LANES(f32x4, 32, 4, x79, v286, (x81 * v273)))));
      STORE(f32x4, (p0 + x222) + 62, (x306 + ((FMA_LANES(f32x4, 32, 4, x87, v282, (FMA_LANES(f32x4, 32, 4, x89, v278, (x91 * v262))))) + (((FMA_LANES(f32x4, 32, 4, x103, v280, (x101 * v283))) + (FMA_LANES(f32x4, 32, 4, x105, v264, (x107 * v284)))) + ((FMA_LANES(f32x4, 32, 4, x93, v281, (x95 * v263))) + (FMA_LANES(f32x4, 32, 4, x99, v279, (x97 * v285))))))));
      const f32x4 x307 = (((FMA_LANES(f32x4, 32, 4, x79, v293, (x81 * v286))) + (FMA_LANES(f32x4, 32, 4, x83, v275, (x85 * v289)))) + ((FMA_LANES(f32x4, 32, 4, x71, v287, (x73 * v272))) + (FMA_LANES(f32x4, 32, 4, x75, v273, (x77 * v292))))) + (((FMA_LANES(f32x4, 32, 4, x69, v288, (x67 * v274))) + (FMA_LANES(f32x4, 32, 4, x63, v279, (x65 * v294)))) + ((FMA_LANES(f32x4, 32, 4, x57, v276, (x55 * v296))) + (FMA_LANES(f32x4, 32, 4, x61, v290, (x59 * v295)))));
      STORE(f32x4, (p0 + x222) + 68, (x307 + ((FMA_LANES(f32x4, 32, 4, x87, v298, (FMA_LANES(f32x4, 32, 4, x91, v278, (x89 * v282))))) + (((FMA_LANES(f32x4, 32, 4, x103, v283, (x101 * v300))) + (FMA_LANES(f32x4, 32, 4, x107, v299, (x105 * v280)))) + ((FMA_LANES(f32x4, 32, 4, x95, v281, (x93 * v284))) + (FMA_LANES(f32x4, 32, 4, x97, v301, (x99 * v285))))))));
      const f32x4 x308 = (((FMA_LANES(f32x4, 32, 4, x131, v227, (x133 * v226))) + (FMA_LANES(f32x4, 32, 4, x135, v224, (x137 * v225)))) + ((FMA_LANES(f32x4, 32, 4, x139, v229, (x141 * v228))) + (FMA_LANES(f32x4, 32, 4, x143, v231, (x145 * v230))))) + (((FMA_LANES(f32x4, 32, 4, x147, v237, (x149 * v236))) + (FMA_LANES(f32x4, 32, 4, x151, v238, (x153 * v239)))) + ((FMA_LANES(f32x4, 32, 4, x155, v234, (x157 * v235))) + (FMA_LANES(f32x4, 32, 4, x159, v233, (x161 * v232)))));
      STORE(f32x4, (p0 + x222) + 74, (((FMA_LANES(f32x4, 32, 4, x109, v241, (FMA_LANES(f32x4, 32, 4, x111, v243, (x113 * v242))))) + (((FMA_LANES(f32x4, 32, 4, x115, v251, (x117 * v250))) + (FMA_LANES(f32x4, 32, 4, x119, v249, (x121 * v248)))) + ((FMA_LANES(f32x4, 32, 4, x123, v247, (x125 * v246))) + (FMA_LANES(f32x4, 32, 4, x127, v244, (x129 * v245)))))) + x308));
      const f32x4 x309 = (((FMA_LANES(f32x4, 32, 4, x153, v237, (x151 * v239))) + (FMA_LANES(f32x4, 32, 4, x147, v253, (x149 * v234)))) + ((FMA_LANES(f32x4, 32, 4, x159, v226, (x161 * v233))) + (FMA_LANES(f32x4, 32, 4, x155, v235, (x157 * v252))))) + (((FMA_LANES(f32x4, 32, 4, x131, v225, (x133 * v256))) + (FMA_LANES(f32x4, 32, 4, x135, v255, (x137 * v224)))) + ((FMA_LANES(f32x4, 32, 4, x145, v249, (x143 * v254))) + (FMA_LANES(f32x4, 32, 4, x141, v231, (x139 * v228)))));
      STORE(f32x4, (p0 + x222) + 80, (x309 + ((FMA_LANES(f32x4, 32, 4, x109, v258, (FMA_LANES(f32x4, 32, 4, x113, v243, (x111 * v241))))) + (((FMA_LANES(f32x4, 32, 4, x127, v245, (x129 * v260))) + (FMA_LANES(f32x4, 32, 4, x123, v244, (x125 * v259)))) + ((FMA_LANES(f32x4, 32, 4, x115, v250, (x117 * v246))) + (FMA_LANES(f32x4, 32, 4, x121, v261, (x119 * v248))))))));
      const f32x4 x310 = (((FMA_LANES(f32x4, 32, 4, x157, v270, (x155 * v252))) + (FMA_LANES(f32x4, 32, 4, x159, v256, (x161 * v226)))) + ((FMA_LANES(f32x4, 32, 4, x147, v269, (x149 * v235))) + (FMA_LANES(f32x4, 32, 4, x151, v237, (x153 * v253))))) + (((FMA_LANES(f32x4, 32, 4, x143, v266, (x145 * v248))) + (FMA_LANES(f32x4, 32, 4, x141, v254, (x139 * v231)))) + ((FMA_LANES(f32x4, 32, 4, x137, v255, (x135 * v268))) + (FMA_LANES(f32x4, 32, 4, x131, v224, (x133 * v267)))));
      STORE(f32x4, (p0 + x222) + 86, (x310 + ((FMA_LANES(f32x4, 32, 4, x109, v262, (FMA_LANES(f32x4, 32, 4, x113, v241, (x111 * v258))))) + (((FMA_LANES(f32x4, 32, 4, x123, v245, (x125 * v263))) + (FMA_LANES(f32x4, 32, 4, x127, v260, (x129 * v264)))) + ((FMA_LANES(f32x4, 32, 4, x115, v246, (x117 * v259))) + (FMA_LANES(f32x4, 32, 4, x119, v261, (x121 * v265))))))));
      const f32x4 x311 = (((FMA_LANES(f32x4, 32, 4, x159, v267, (x161 * v256))) + (FMA_LANES(f32x4, 32, 4, x155, v270, (x157 * v273)))) + ((FMA_LANES(f32x4, 32, 4, x151, v253, (x153 * v269))) + (FMA_LANES(f32x4, 32, 4, x149, v252, (x147 * v272))))) + (((FMA_LANES(f32x4, 32, 4, x137, v268, (x135 * v276))) + (FMA_LANES(f32x4, 32, 4, x131, v255, (x133 * v275)))) + ((FMA_LANES(f32x4, 32, 4, x141, v266, (x139 * v254))) + (FMA_LANES(f32x4, 32, 4, x143, v274, (x145 * v261)))));
      STORE(f32x4, (p0 + x222) + 92, (((FMA_LANES(f32x4, 32, 4, x109, v278, (FMA_LANES(f32x4, 32, 4, x113, v258, (x111 * v262))))) + (((FMA_LANES(f32x4, 32, 4, x125, v281, (x123 * v260))) + (FMA_LANES(f32x4, 32, 4, x129, v280, (x127 * v264)))) + ((FMA_LANES(f32x4, 32, 4, x121, v279, (x119 * v265))) + (FMA_LANES(f32x4, 32, 4, x117, v263, (x115 * v259)))))) + x311));
      const f32x4 x312 = (((FMA_LANES(f32x4, 32, 4, x137, v276, (x135 * v290))) + (FMA_LANES(f32x4, 32, 4, x131, v268, (x133 * v289)))) + ((FMA_LANES(f32x4, 32, 4, x145, v265, (x143 * v288))) + (FMA_LANES(f32x4, 32, 4, x139, v266, (x141 * v274))))) + (((FMA_LANES(f32x4, 32, 4, x157, v286, (x155 * v273))) + (FMA_LANES(f32x4, 32, 4, x159, v275, (x161 * v267)))) + ((FMA_LANES(f32x4, 32, 4, x147, v287, (x149 * v270))) + (FMA_LANES(f32x4, 32, 4, x151, v269, (x153 * v272)))));
      STORE(f32x4, (p0 + x222) + 98, (x312 + ((FMA_LANES(f32x4, 32, 4, x109, v282, (FMA_LANES(f32x4, 32, 4, x111, v278, (x113 * v262))))) + (((FMA_LANES(f32x4, 32, 4, x129, v283, (x127 * v280))) + (FMA_LANES(f32x4, 32, 4, x123, v264, (x125 * v284)))) + ((FMA_LANES(f32x4, 32, 4, x115, v263, (x117 * v281))) + (FMA_LANES(f32x4, 32, 4, x121, v285, (x119 * v279))))))));
      const f32x4 x313 = (((FMA_LANES(f32x4, 32, 4, x159, v289, (x161 * v275))) + (FMA_LANES(f32x4, 32, 4, x155, v286, (x157 * v293)))) + ((FMA_LANES(f32x4, 32, 4, x149, v273, (x147 * v292))) + (FMA_LANES(f32x4, 32, 4, x151, v272, (x153 * v287))))) + (((FMA_LANES(f32x4, 32, 4, x143, v294, (x145 * v279))) + (FMA_LANES(f32x4, 32, 4, x141, v288, (x139 * v274)))) + ((FMA_LANES(f32x4, 32, 4, x131, v276, (x133 * v296))) + (FMA_LANES(f32x4, 32, 4, x137, v290, (x135 * v295)))));
      STORE(f32x4, (p0 + x222) + 104, (x313 + ((FMA_LANES(f32x4, 32, 4, x109, v298, (FMA_LANES(f32x4, 32, 4, x111, v282, (x113 * v278))))) + (((FMA_LANES(f32x4, 32, 4, x117, v284, (x115 * v281))) + (FMA_LANES(f32x4, 32, 4, x119, v285, (x121 * v301)))) + ((FMA_LANES(f32x4, 32, 4, x129, v300, (x127 * v283))) + (FMA_LANES(f32x4, 32, 4, x125, v299, (x123 * v280))))))));
      const f32x4 x314 = (((FMA_LANES(f32x4, 32, 4, x185, v230, (x187 * v231))) + (FMA_LANES(f32x4, 32, 4, x189, v228, (x191 * v229)))) + ((FMA_LANES(f32x4, 32, 4, x193, v225, (x195 * v224))) + (FMA_LANES(f32x4, 32, 4, x197, v226, (x199 * v227))))) + (((FMA_LANES(f32x4, 32, 4, x201, v234, (x203 * v235))) + (FMA_LANES(f32x4, 32, 4, x205, v233, (x207 * v232)))) + ((FMA_LANES(f32x4, 32, 4, x209, v237, (x211 * v236))) + (FMA_LANES(f32x4, 32, 4, x213, v239, (x215 * v238)))));
      STORE(f32x4, (p0 + x222) + 110, (((FMA_LANES(f32x4, 32, 4, x163, v241, (FMA_LANES(f32x4, 32, 4, x165, v243, (x167 * v242))))) + (((FMA_LANES(f32x4, 32, 4, x169, v250, (x171 * v251))) + (FMA_LANES(f32x4, 32, 4, x173, v248, (x175 * v249)))) + ((FMA_LANES(f32x4, 32, 4, x177, v246, (x179 * v247))) + (FMA_LANES(f32x4, 32, 4, x181, v245, (x183 * v244)))))) + x314));
      const f32x4 x315 = (((FMA_LANES(f32x4, 32, 4, x203, v252, (x201 * v235))) + (FMA_LANES(f32x4, 32, 4, x205, v226, (x207 * v233)))) + ((FMA_LANES(f32x4, 32, 4, x211, v234, (x209 * v253))) + (FMA_LANES(f32x4, 32, 4, x213, v237, (x215 * v239))))) + (((FMA_LANES(f32x4, 32, 4, x187, v254, (x185 * v249))) + (FMA_LANES(f32x4, 32, 4, x189, v231, (x191 * v228)))) + ((FMA_LANES(f32x4, 32, 4, x195, v255, (x193 * v224))) + (FMA_LANES(f32x4, 32, 4, x197, v256, (x199 * v225)))));
      STORE(f32x4, (p0 + x222) + 116, (((FMA_LANES(f32x4, 32, 4, x163, v258, (FMA_LANES(f32x4, 32, 4, x165, v241, (x167 * v243))))) + (((FMA_LANES(f32x4, 32, 4, x181, v260, (x183 * v245))) + (FMA_LANES(f32x4, 32, 4, x177, v259, (x179 * v244)))) + ((FMA_LANES(f32x4, 32, 4, x169, v246, (x171 * v250))) + (FMA_LANES(f32x4, 32, 4, x175, v248, (x173 * v261)))))) + x315));
      const f32x4 x316 = (((FMA_LANES(f32x4, 32, 4, x213, v253, (x215 * v237))) + (FMA_LANES(f32x4, 32, 4, x211, v235, (x209 * v269)))) + ((FMA_LANES(f32x4, 32, 4, x203, v270, (x201 * v252))) + (FMA_LANES(f32x4, 32, 4, x205, v256, (x207 * v226))))) + (((FMA_LANES(f32x4, 32, 4, x187, v266, (x185 * v248))) + (FMA_LANES(f32x4, 32, 4, x189, v254, (x191 * v231)))) + ((FMA_LANES(f32x4, 32, 4, x195, v268, (x193 * v255))) + (FMA_LANES(f32x4, 32, 4, x199, v224, (x197 * v267)))));
      STORE(f32x4, (p0 + x222) + 122, (x316 + ((FMA_LANES(f32x4, 32, 4, x163, v262, (FMA_LANES(f32x4, 32, 4, x167, v241, (x165 * v258))))) + (((FMA_LANES(f32x4, 32, 4, x173, v265, (x175 * v261))) + (FMA_LANES(f32x4, 32, 4, x169, v259, (x171 * v246)))) + ((FMA_LANES(f32x4, 32, 4, x181, v264, (x183 * v260))) + (FMA_LANES(f32x4, 32, 4, x179, v245, (x177 * v263))))))));
      const f32x4 x317 = (((FMA_LANES(f32x4, 32, 4, x193, v268, (x195 * v276))) + (FMA_LANES(f32x4, 32, 4, x199, v255, (x197 * v275)))) + ((FMA_LANES(f32x4, 32, 4, x189, v266, (x191 * v254))) + (FMA_LANES(f32x4, 32, 4, x185, v261, (x187 * v274))))) + (((FMA_LANES(f32x4, 32, 4, x215, v253, (x213 * v269))) + (FMA_LANES(f32x4, 32, 4, x211, v252, (x209 * v272)))) + ((FMA_LANES(f32x4, 32, 4, x207, v256, (x205 * v267))) + (FMA_LANES(f32x4, 32, 4, x203, v273, (x201 * v270)))));
      STORE(f32x4, (p0 + x222) + 128, (x317 + ((FMA_LANES(f32x4, 32, 4, x163, v278, (FMA_LANES(f32x4, 32, 4, x165, v262, (x167 * v258))))) + (((FMA_LANES(f32x4, 32, 4, x169, v263, (x171 * v259))) + (FMA_LANES(f32x4, 32, 4, x175, v265, (x173 * v279)))) + ((FMA_LANES(f32x4, 32, 4, x183, v264, (x181 * v280))) + (FMA_LANES(f32x4, 32, 4, x177, v281, (x179 * v260))))))));
      const f32x4 x318 = (((FMA_LANES(f32x4, 32, 4, x187, v288, (x185 * v265))) + (FMA_LANES(f32x4, 32, 4, x191, v266, (x189 * v274)))) + ((FMA_LANES(f32x4, 32, 4, x195, v290, (x193 * v276))) + (FMA_LANES(f32x4, 32, 4, x199, v268, (x197 * v289))))) + (((FMA_LANES(f32x4, 32, 4, x203, v286, (x201 * v273))) + (FMA_LANES(f32x4, 32, 4, x205, v275, (x207 * v267)))) + ((FMA_LANES(f32x4, 32, 4, x213, v272, (x215 * v269))) + (FMA_LANES(f32x4, 32, 4, x211, v270, (x209 * v287)))));
      STORE(f32x4, (p0 + x222) + 134, (((FMA_LANES(f32x4, 32, 4, x163, v282, (FMA_LANES(f32x4, 32, 4, x167, v262, (x165 * v278))))) + (((FMA_LANES(f32x4, 32, 4, x179, v264, (x177 * v284))) + (FMA_LANES(f32x4, 32, 4, x183, v280, (x181 * v283)))) + ((FMA_LANES(f32x4, 32, 4, x173, v285, (x175 * v279))) + (FMA_LANES(f32x4, 32, 4, x171, v263, (x169 * v281)))))) + x318));
      const f32x4 x319 = (((FMA_LANES(f32x4, 32, 4, x213, v287, (x215 * v272))) + (FMA_LANES(f32x4, 32, 4, x209, v292, (x211 * v273)))) + ((FMA_LANES(f32x4, 32, 4, x203, v293, (x201 * v286))) + (FMA_LANES(f32x4, 32, 4, x205, v289, (x207 * v275))))) + (((FMA_LANES(f32x4, 32, 4, x187, v294, (x185 * v279))) + (FMA_LANES(f32x4, 32, 4, x191, v274, (x189 * v288)))) + ((FMA_LANES(f32x4, 32, 4, x199, v276, (x197 * v296))) + (FMA_LANES(f32x4, 32, 4, x193, v290, (x195 * v295)))));
      STORE(f32x4, (p0 + x222) + 140, (x319 + ((FMA_LANES(f32x4, 32, 4, x163, v298, (FMA_LANES(f32x4, 32, 4, x167, v278, (x165 * v282))))) + (((FMA_LANES(f32x4, 32, 4, x177, v299, (x179 * v280))) + (FMA_LANES(f32x4, 32, 4, x181, v300, (x183 * v283)))) + ((FMA_LANES(f32x4, 32, 4, x169, v284, (x171 * v281))) + (FMA_LANES(f32x4, 32, 4, x175, v285, (x173 * v301))))))));
    }
  }
}
// == turned
void E_32_16_d25b9122(void *const *mem, const long long *args, long long task, char *restrict local) {
  f32 *const p0 = (f32 *)mem[0];
  f32 *const p1 = (f32 *)mem[1];
  f32 local0[512] __attribute__((aligned(64)));
  for (i32 r1 = 0; r1 < 4; r1++) {
    const i32 x2 = (i32)(r1 * 128);
    const i32 x3 = (i32)(r1 * 8);
    for (i32 r4 = 0; r4 < 2; r4++) {
      const i32 x5 = (i32)(x2 + ((i32)(r4 * 8)));
      const i32 x6 = (i32)(x3 + ((i32)(r4 * 256)));
      const f32x8 v7 = LOAD(f32x8, p1 + x6);
      const f32x8 v8 = LOAD(f32x8, (p1 + x6) + 32);
      const f32x8 x9 = SHUFFLE(i32x8, v7, v8, 0, 8, 2, 10, 4, 12, 6, 14);
      const f32x8 v10 = LOAD(f32x8, (p1 + x6) + 64);
      const f32x8 v11 = LOAD(f32x8, (p1 + x6) + 96);
      const f32x8 x12 = SHUFFLE(i32x8, v10, v11, 0, 8, 2, 10, 4, 12, 6, 14);
      const f32x8 x13 = SHUFFLE(i32x8, x9, x12, 0, 1, 8, 9, 4, 5, 12, 13);
      const f32x8 v14 = LOAD(f32x8, (p1 + x6) + 128);
      const f32x8 v15 = LOAD(f32x8, (p1 + x6) + 160);
      const f32x8 x16 = SHUFFLE(i32x8, v14, v15, 0, 8, 2, 10, 4, 12, 6, 14);
      const f32x8 v17 = LOAD(f32x8, (p1 + x6) + 192);
      const f32x8 v18 = LOAD(f32x8, (p1 + x6) + 224);
      const f32x8 x19 = SHUFFLE(i32x8, v17, v18, 0, 8, 2, 10, 4, 12, 6, 14);
      const f32x8 x20 = SHUFFLE(i32x8, x16, x19, 0, 1, 8, 9, 4, 5, 12, 13);
      STORE(f32x8, local0 + x5, (SHUFFLE(i32x8, x13, x20, 0, 1, 2, 3, 8, 9, 10, 11)));
      const f32x8 x21 = SHUFFLE(i32x8, v7, v8, 1, 9, 3, 11, 5, 13, 7, 15);
      const f32x8 x22 = SHUFFLE(i32x8, v10, v11, 1, 9, 3, 11, 5, 13, 7, 15);
      const f32x8 x23 = SHUFFLE(i32x8, x21, x22, 0, 1, 8, 9, 4, 5, 12, 13);
      const f32x8 x24 = SHUFFLE(i32x8, v14, v15, 1, 9, 3, 11, 5, 13, 7, 15);
      const f32x8 x25 = SHUFFLE(i32x8, v17, v18, 1, 9, 3, 11, 5, 13, 7, 15);
      const f32x8 x26 = SHUFFLE(i32x8, x24, x25, 0, 1, 8, 9, 4, 5, 12, 13);
      STORE(f32x8, (local0 + x5) + 16, (SHUFFLE(i32x8, x23, x26, 0, 1, 2, 3, 8, 9, 10, 11)));
      const f32x8 x27 = SHUFFLE(i32x8, x9, x12, 2, 3, 10, 11, 6, 7, 14, 15);
      const f32x8 x28 = SHUFFLE(i32x8, x16, x19, 2, 3, 10, 11, 6, 7, 14, 15);
      STORE(f32x8, (local0 + x5) + 32, (SHUFFLE(i32x8, x27, x28, 0, 1, 2, 3, 8, 9, 10, 11)));
      const f32x8 x29 = SHUFFLE(i32x8, x21, x22, 2, 3, 10, 11, 6, 7, 14, 15);
      const f32x8 x30 = SHUFFLE(i32x8, x24, x25, 2, 3, 10, 11, 6, 7, 14, 15);
      STORE(f32x8, (local0 + x5) + 48, (SHUFFLE(i32x8, x29, x30, 0, 1, 2, 3, 8, 9, 10, 11)));
      STORE(f32x8, (local0 + x5) + 64, (SHUFFLE(i32x8, x13, x20, 4, 5, 6, 7, 12, 13, 14, 15)));
      STORE(f32x8, (local0 + x5) + 80, (SHUFFLE(i32x8, x23, x26, 4, 5, 6, 7, 12, 13, 14, 15)));
      STORE(f32x8, (local0 + x5) + 96, (SHUFFLE(i32x8, x27, x28, 4, 5, 6, 7, 12, 13, 14, 15)));
      STORE(f32x8, (local0 + x5) + 112, (SHUFFLE(i32x8, x29, x30, 4, 5, 6, 7, 12, 13, 14, 15)));
    }
  }
  for (i32 r31 = 0; r31 < 32; r31++) {
    const i32 x32 = (i32)(r31 * 16);
    for (i32 r33 = 0; r33 < 2; r33++) {
      const i32 x34 = (i32)(((i32)(r33 * 8)) + x32);
      const f32x8 v35 = LOAD(f32x8, local0 + x34);
      STORE(f32x8, p0 + x34, v35);
    }
  }
}
// == convolution over channels
void r_32_7_7_3_3_16_5c472c91(void *const *mem, const long long *args, long long task, char *restrict local) {
  f32 *const p0 = (f32 *)mem[0];
  f32 *const p1 = (f32 *)mem[1];
  f32 *const p2 = (f32 *)mem[2];
  const i32 x0 = (i32)task;
  const i32 x1 = (i32)(x0 * 784);
  f32 local2[112] __attribute__((aligned(64)));
  f32x8 acc3;
  const i32 x4 = (i32)(x0 * 2304);
  const f32x8 x5 = SPLAT(f32x8, f32, 0x0p+0f);
  f32x8 acc6;
  f32x8 acc7;
  f32x8 acc8;
  f32x8 acc9;
  f32x8 acc10;
  f32x8 acc11;
  f32x8 acc12;
  f32x8 acc13;
  f32x8 acc14;
  f32x8 acc15;
  f32x8 acc16;
  f32x8 acc17;
  f32x8 acc18;
  ROLLED
  for (i32 r19 = 0; r19 < 7; r19++) {
    acc3 = x5;
    acc6 = x5;
    acc7 = x5;
    acc8 = x5;
    acc9 = x5;
    acc10 = x5;
    acc11 = x5;
    acc12 = x5;
    acc13 = x5;
    acc14 = x5;
    acc15 = x5;
    acc16 = x5;
    acc17 = x5;
    acc18 = x5;
    ROLLED
    for (i32 r20 = 0; r20 < 16; r20++) {
      const i32 x21 = (i32)(((i32)(r20 * 81)) + r19);
      const i32 x22 = (i32)(((i32)(r20 * 144)) + x4);
      ROLLED
      for (i32 r23 = 0; r23 < 3; r23++) {
        const i32 x24 = (i32)(((i32)(r23 * 9)) + x21);
        const i32 x25 = (i32)(((i32)(r23 * 48)) + x22);
        ROLLED
        for (i32 r26 = 0; r26 < 3; r26++) {
          const i32 x27 = (i32)(x24 + r26);
          const f32 v28 = *(p1 + x27);
          const f32x8 x29 = SPLAT(f32x8, f32, v28);
          const i32 x30 = (i32)(((i32)(r26 * 16)) + x25);
          const f32x8 v31 = LOAD(f32x8, p2 + x30);
          acc3 = (FMA_LANES(f32x8, 32, 8, x29, v31, (acc3)));
          const f32x8 v32 = LOAD(f32x8, (p2 + x30) + 8);
          acc6 = (FMA_LANES(f32x8, 32, 8, x29, v32, (acc6)));
          const f32 v33 = *((p1 + x27) + 9);
          const f32x8 x34 = SPLAT(f32x8, f32, v33);
          acc7 = (FMA_LANES(f32x8, 32, 8, x34, v31, (acc7)));
          acc8 = (FMA_LANES(f32x8, 32, 8, x34, v32, (acc8)));
          const f32 v35 = *((p1 + x27) + 18);
          const f32x8 x36 = SPLAT(f32x8, f32, v35);
          acc9 = (FMA_LANES(f32x8, 32, 8, x36, v31, (acc9)));
          acc10 = (FMA_LANES(f32x8, 32, 8, x36, v32, (acc10)));
          const f32 v37 = *((p1 + x27) + 27);
          const f32x8 x38 = SPLAT(f32x8, f32, v37);
          acc11 = (FMA_LANES(f32x8, 32, 8, x38, v31, (acc11)));
          acc12 = (FMA_LANES(f32x8, 32, 8, x38, v32, (acc12)));
          const f32 v39 = *((p1 + x27) + 36);
          const f32x8 x40 = SPLAT(f32x8, f32, v39);
          acc13 = (FMA_LANES(f32x8, 32, 8, x40, v31, (acc13)));
          acc14 = (FMA_LANES(f32x8, 32, 8, x40, v32, (acc14)));
          const f32 v41 = *((p1 + x27) + 45);
          const f32x8 x42 = SPLAT(f32x8, f32, v41);
          acc15 = (FMA_LANES(f32x8, 32, 8, x42, v31, (acc15)));
          acc16 = (FMA_LANES(f32x8, 32, 8, x42, v32, (acc16)));
          const f32 v43 = *((p1 + x27) + 54);
          const f32x8 x44 = SPLAT(f32x8, f32, v43);
          acc17 = (FMA_LANES(f32x8, 32, 8, x44, v31, (acc17)));
          acc18 = (FMA_LANES(f32x8, 32, 8, x44, v32, (acc18)));
        }
      }
    }
    STORE(f32x8, local2 + 0, (acc3));
    STORE(f32x8, local2 + 8, (acc6));
    STORE(f32x8, local2 + 16, (acc7));
    STORE(f32x8, local2 + 24, (acc8));
    STORE(f32x8, local2 + 32, (acc9));
    STORE(f32x8, local2 + 40, (acc10));
    STORE(f32x8, local2 + 48, (acc11));
    STORE(f32x8, local2 + 56, (acc12));
    STORE(f32x8, local2 + 64, (acc13));
    STORE(f32x8, local2 + 72, (acc14));
    STORE(f32x8, local2 + 80, (acc15));
    STORE(f32x8, local2 + 88, (acc16));
    STORE(f32x8, local2 + 96, (acc17));
    STORE(f32x8, local2 + 104, (acc18));
    for (i32 r45 = 0; r45 < 2; r45++) {
      const i32 x46 = (i32)(r45 * 392);
      const i32 x47 = (i32)(r45 * 8);
      for (i32 r48 = 0; r48 < 7; r48++) {
        const i32 x49 = (i32)(x46 + ((i32)(((i32)(x1 + ((i32)(r48 * 7)))) + r19)));
        const i32 x50 = (i32)(((i32)(r48 * 16)) + x47);
        const f32x8 v51 = LOAD(f32x8, local2 + x50);
        *(p0 + x49) = (v51[0]);
        *((p0 + x49) + 49) = (v51[1]);
        *((p0 + x49) + 98) = (v51[2]);
        *((p0 + x49) + 147) = (v51[3]);
        *((p0 + x49) + 196) = (v51[4]);
        *((p0 + x49) + 245) = (v51[5]);
        *((p0 + x49) + 294) = (v51[6]);
        *((p0 + x49) + 343) = (v51[7]);
      }
    }
  }
}
void E_2_16_3_3_16_5be44a95(void *const *mem, const long long *args, long long task, char *restrict local) {
  f32 *const p0 = (f32 *)mem[0];
  f32 *const p1 = (f32 *)mem[1];
  f32 local0[1024] __attribute__((aligned(64)));
  for (i32 r1 = 0; r1 < 2; r1++) {
    const i32 x2 = (i32)(r1 * 2304);
    for (i32 r3 = 0; r3 < 3; r3++) {
      const i32 x4 = (i32)(((i32)(r3 * (-64))) + 80);
      i32 x5 = (x4 < 0) ? 0 : x4;
      const i32 x6 = (i32)(((i32)(x5 * (-16))) + x2);
      const i32 x7 = (i32)(x2 - x5);
      for (i32 r8 = 0; r8 < 8; r8++) {
        const i32 x9 = (i32)(r8 * 128);
        const i32 x10 = (i32)(x7 + ((i32)(r8 * 8)));
        for (i32 r11 = 0; r11 < 2; r11++) {
          const i32 x12 = (i32)(x9 + ((i32)(r11 * 8)));
          const i32 x13 = (i32)(((i32)(r11 * 1152)) + x10);
          const f32x8 v14 = LOAD(f32x8, (p1 + x13) + 80);
          const f32x8 v15 = LOAD(f32x8, (p1 + x13) + 224);
          const f32x8 x16 = SHUFFLE(i32x8, v14, v15, 0, 8, 2, 10, 4, 12, 6, 14);
          const f32x8 v17 = LOAD(f32x8, (p1 + x13) + 368);
          const f32x8 v18 = LOAD(f32x8, (p1 + x13) + 512);
          const f32x8 x19 = SHUFFLE(i32x8, v17, v18, 0, 8, 2, 10, 4, 12, 6, 14);
          const f32x8 x20 = SHUFFLE(i32x8, x16, x19, 0, 1, 8, 9, 4, 5, 12, 13);
          const f32x8 v21 = LOAD(f32x8, (p1 + x13) + 656);
          const f32x8 v22 = LOAD(f32x8, (p1 + x13) + 800);
          const f32x8 x23 = SHUFFLE(i32x8, v21, v22, 0, 8, 2, 10, 4, 12, 6, 14);
          const f32x8 v24 = LOAD(f32x8, (p1 + x13) + 944);
          const f32x8 v25 = LOAD(f32x8, (p1 + x13) + 1088);
          const f32x8 x26 = SHUFFLE(i32x8, v24, v25, 0, 8, 2, 10, 4, 12, 6, 14);
          const f32x8 x27 = SHUFFLE(i32x8, x23, x26, 0, 1, 8, 9, 4, 5, 12, 13);
          STORE(f32x8, local0 + x12, (SHUFFLE(i32x8, x20, x27, 0, 1, 2, 3, 8, 9, 10, 11)));
          const f32x8 x28 = SHUFFLE(i32x8, v14, v15, 1, 9, 3, 11, 5, 13, 7, 15);
          const f32x8 x29 = SHUFFLE(i32x8, v17, v18, 1, 9, 3, 11, 5, 13, 7, 15);
          const f32x8 x30 = SHUFFLE(i32x8, x28, x29, 0, 1, 8, 9, 4, 5, 12, 13);
          const f32x8 x31 = SHUFFLE(i32x8, v21, v22, 1, 9, 3, 11, 5, 13, 7, 15);
          const f32x8 x32 = SHUFFLE(i32x8, v24, v25, 1, 9, 3, 11, 5, 13, 7, 15);
          const f32x8 x33 = SHUFFLE(i32x8, x31, x32, 0, 1, 8, 9, 4, 5, 12, 13);
          STORE(f32x8, (local0 + x12) + 16, (SHUFFLE(i32x8, x30, x33, 0, 1, 2, 3, 8, 9, 10, 11)));
          const f32x8 x34 = SHUFFLE(i32x8, x16, x19, 2, 3, 10, 11, 6, 7, 14, 15);
          const f32x8 x35 = SHUFFLE(i32x8, x23, x26, 2, 3, 10, 11, 6, 7, 14, 15);
          STORE(f32x8, (local0 + x12) + 32, (SHUFFLE(i32x8, x34, x35, 0, 1, 2, 3, 8, 9, 10, 11)));
          const f32x8 x36 = SHUFFLE(i32x8, x28, x29, 2, 3, 10, 11, 6, 7, 14, 15);
          const f32x8 x37 = SHUFFLE(i32x8, x31, x32, 2, 3, 10, 11, 6, 7, 14, 15);
          STORE(f32x8, (local0 + x12) + 48, (SHUFFLE(i32x8, x36, x37, 0, 1, 2, 3, 8, 9, 10, 11)));
          STORE(f32x8, (local0 + x12) + 64, (SHUFFLE(i32x8, x20, x27, 4, 5, 6, 7, 12, 13, 14, 15)));
          STORE(f32x8, (local0 + x12) + 80, (SHUFFLE(i32x8, x30, x33, 4, 5, 6, 7, 12, 13, 14, 15)));
          STORE(f32x8, (local0 + x12) + 96, (SHUFFLE(i32x8, x34, x35, 4, 5, 6, 7, 12, 13, 14, 15)));
          STORE(f32x8, (local0 + x12) + 112, (SHUFFLE(i32x8, x36, x37, 4, 5, 6, 7, 12, 13, 14, 15)));
        }
      }
      for (i32 r38 = 0; GOES_ON(r38, 64); r38++) {
        const i32 x39 = (i32)(r38 * 16);
        const i32 x40 = (i32)(x39 + x6);
        for (i32 r41 = 0; r41 < 2; r41++) {
          const i32 x42 = (i32)(r41 * 8);
          const i32 x43 = (i32)(x42 + x40);
          const i32 x44 = (i32)(x42 + x39);
          const f32x8 v45 = LOAD(f32x8, local0 + x44);
          STORE(f32x8, (p0 + x43) + 1280, v45);
        }
      }
    }
  }
}
// == streamed
void E_1024_8192_44a8b318(void *const *mem, const long long *args, long long task, char *restrict local) {
  f32 *const p0 = (f32 *)mem[0];
  f32 *const p1 = (f32 *)mem[1];
  const i32 x0 = (i32)(((i32)task) * 131072);
  for (i32 r1 = 0; r1 < 16; r1++) {
    const i32 x2 = (i32)(r1 * 8192);
    for (i32 r3 = 0; GOES_ON(r3, 1024); r3++) {
      const i32 x4 = (i32)(r3 * 8);
      const i32 x5 = (i32)(x2 + ((i32)(x0 + x4)));
      const f32x8 v6 = LOAD(f32x8, p1 + x4);
      STREAM(f32x8, p0 + x5, v6);
    }
  }
}
// == named rows
void r_40_48_24_500f6b29(void *const *mem, const long long *args, long long task, char *restrict local) {
  f32 *const p0 = (f32 *)mem[0];
  f32 *const p1 = (f32 *)mem[1];
  f32 *const p2 = (f32 *)mem[2];
  const f32x8 x0 = SPLAT(f32x8, f32, 0x0p+0f);
  for (i32 r1 = 0; r1 < 40; r1++) {
    const i32 x2 = (i32)(r1 * 48);
    const f32 v3 = *(p1 + r1);
    const b8 x4 = (b8)(((b8)((v3 < (-0x1p+31f)) ^ 1)) & (v3 < 0x1p+31f));
    i32 x5 = x4 ? ((i32)(x4 ? v3 : 0x0p+0f)) : ((0x0p+0f < v3) ? 2147483647 : ((v3 < 0x0p+0f) ? (-2147483647 - 1) : 0));
    const b8 x6 = (b8)(((-1) < x5) & (x5 < 24));
    const i32 x7 = (i32)(18 - r1);
    i32 x8 = (i32)(39 - ((x7 < 0) ? 0 : x7));
    const f32 v9 = *(p1 + x8);
    const b8 x10 = (b8)(((b8)((v9 < (-0x1p+31f)) ^ 1)) & (v9 < 0x1p+31f));
    i64 x11 = (i64)(((i64)(x10 ? ((i32)(x10 ? v9 : 0x0p+0f)) : ((0x0p+0f < v9) ? 2147483647 : ((v9 < 0x0p+0f) ? (-2147483647 - 1) : 0)))) * 48ll);
    const i64 x12 = (i64)(((i64)x5) * 48ll);
    for (i32 r13 = 0; r13 < 6; r13++) {
      const i32 x14 = (i32)(r13 * 8);
      const i32 x15 = (i32)(x2 + x14);
      const i64 x16 = (i64)x14;
      const i64 x17 = (i64)(x11 + x16);
      __builtin_prefetch(p2 + x17, 0, 2);
      const i64 x18 = (i64)(x12 + x16);
      const f32x8 v19 = (x6 ? LOAD(f32x8, p2 + x18) : (f32x8){0});
      STORE(f32x8, p0 + x15, (x6 ? v19 : x0));
    }
  }
}
// == down columns
void r_64_24_24_72d3e920(void *const *mem, const long long *args, long long task, char *restrict local) {
  i32 *const p0 = (i32 *)mem[0];
  f32 *const p1 = (f32 *)mem[1];
  const i32x8 x0 = SPLAT(i32x8, i32, 23);
  i32 local1[16] __attribute__((aligned(64)));
  i32x8 acc2;
  f32 local3[16] __attribute__((aligned(64)));
  f32x8 acc4;
  const f32x8 x5 = SPLAT(f32x8, f32, ((f32)__builtin_nan("")));
  const f32x8 x6 = SPLAT(f32x8, f32, (-(f32)__builtin_inf()));
  f32x8 acc7;
  const i32x8 x8 = SPLAT(i32x8, i32, 0);
  const i32x8 x9 = SPLAT(i32x8, i32, (-2147483647 - 1));
  i32x8 acc10;
  for (i32 r11 = 0; r11 < 4; r11++) {
    const i32 x12 = (i32)(r11 * 16);
    acc4 = x6;
    acc7 = x6;
    for (i32 r13 = 0; r13 < 24; r13++) {
      const i32 x14 = (i32)(x12 + ((i32)(r13 * 64)));
      const f32x8 v15 = LOAD(f32x8, p1 + x14);
      const f32x8 v16 = acc4;
      acc4 = (WHERE(f32x8, i32x8, (CONVERT(v15 != v15, b8x8)), x5, (WHERE(f32x8, i32x8, (CONVERT(v16 < v15, b8x8)), v15, v16))));
      const f32x8 v17 = LOAD(f32x8, (p1 + x14) + 8);
      const f32x8 v18 = acc7;
      acc7 = (WHERE(f32x8, i32x8, (CONVERT(v17 != v17, b8x8)), x5, (WHERE(f32x8, i32x8, (CONVERT(v18 < v17, b8x8)), v17, v18))));
    }
    STORE(f32x8, local3 + 0, (acc4));
    STORE(f32x8, local3 + 8, (acc7));
    const f32x8 v19 = LOAD(f32x8, local3 + 0);
    acc2 = x9;
    const f32x8 v20 = LOAD(f32x8, local3 + 8);
    acc10 = x9;
    for (i32 r21 = 0; r21 < 24; r21++) {
      const i32 x22 = (i32)(x12 + ((i32)(r21 * 64)));
      __builtin_prefetch((p1 + x22) + 32, 0, 2);
      const f32x8 v23 = LOAD(f32x8, p1 + x22);
      const i32x8 x24 = SPLAT(i32x8, i32, ((i32)(23 - r21)));
      const i32x8 x25 = WHERE(i32x8, i32x8, ((CONVERT(v23 == v19, b8x8)) | (CONVERT(v23 != v23, b8x8))), x24, x8);
      const i32x8 v26 = acc2;
      acc2 = (WHERE(i32x8, i32x8, (CONVERT(x25 < v26, b8x8)), v26, x25));
      __builtin_prefetch((p1 + x22) + 40, 0, 2);
      const f32x8 v27 = LOAD(f32x8, (p1 + x22) + 8);
      const i32x8 x28 = WHERE(i32x8, i32x8, ((CONVERT(v20 == v27, b8x8)) | (CONVERT(v27 != v27, b8x8))), x24, x8);
      const i32x8 v29 = acc10;
      acc10 = (WHERE(i32x8, i32x8, (CONVERT(x28 < v29, b8x8)), v29, x28));
    }
    STORE(i32x8, local1 + 0, (acc2));
    STORE(i32x8, local1 + 8, (acc10));
    for (i32 r30 = 0; r30 < 2; r30++) {
      const i32 x31 = (i32)(r30 * 8);
      const i32 x32 = (i32)(x12 + x31);
      const i32x8 v33 = LOAD(i32x8, local1 + x31);
      STORE(i32x8, p0 + x32, (x0 - v33));
    }
  }
}
// == short rows
void r_80_24_24_24_b8192bb4(void *const *mem, const long long *args, long long task, char *restrict local) {
  f32 *const p0 = (f32 *)mem[0];
  f32 *const p1 = (f32 *)mem[1];
  f32 local0[16] __attribute__((aligned(64)));
  f32x8 acc1;
  const f32x8 x2 = SPLAT(f32x8, f32, ((f32)__builtin_nan("")));
  const f32x8 x3 = SPLAT(f32x8, f32, (-(f32)__builtin_inf()));
  f32x8 acc4;
  f32x8 acc5;
  f32x8 acc6;
  const f32x4 x7 = SPLAT(f32x4, f32, ((f32)__builtin_nan("")));
  f32 local8[16] __attribute__((aligned(64)));
  const f32x8 x9 = SPLAT(f32x8, f32, 0x0p+0f);
  f32 local10[16] __attribute__((aligned(64)));
  f32x8 acc11;
  const f32x8 x12 = SPLAT(f32x8, f32, (-0x1.08c84p+7f));
  const f32x8 x13 = SPLAT(f32x8, f32, 0x1.715476p+0f);
  const f32x8 x14 = SPLAT(f32x8, f32, 0x1.80017ep+23f);
  const f32x8 x15 = SPLAT(f32x8, f32, (-0x1.7f7d1cp-20f));
  const f32x8 x16 = SPLAT(f32x8, f32, (-0x1.62e4p-1f));
  const f32x8 x17 = SPLAT(f32x8, f32, 0x1.685168p-10f);
  const f32x8 x18 = SPLAT(f32x8, f32, 0x1.123bdap-7f);
  const f32x8 x19 = SPLAT(f32x8, f32, 0x1.555b98p-5f);
  const f32x8 x20 = SPLAT(f32x8, f32, 0x1.55548ep-3f);
  const f32x8 x21 = SPLAT(f32x8, f32, 0x1.fffff8p-2f);
  const f32x8 x22 = SPLAT(f32x8, f32, 0x1p+0f);
  const i32x8 x23 = SPLAT(i32x8, i32, 23);
  const f32x8 x24 = SPLAT(f32x8, f32, 0x1p-64f);
  f32x8 acc25;
  f32x8 acc26;
  f32x8 acc27;
  const f32x8 x28 = SPLAT(f32x8, f32, ((f32)__builtin_inf()));
  const f32x8 x29 = SPLAT(f32x8, f32, 0x1p-126f);
  const f32x8 x30 = SPLAT(f32x8, f32, 0x1p+25f);
  const i32x8 x31 = SPLAT(i32x8, i32, 1060439283);
  const f32x8 x32 = SPLAT(f32x8, f32, 0x1p-1f);
  const i32x8 x33 = SPLAT(i32x8, i32, (-4096));
  const f32x8 x34 = SPLAT(f32x8, f32, 0x1.714p+0f);
  const i32x8 x35 = SPLAT(i32x8, i32, 25);
  const i32x8 x36 = SPLAT(i32x8, i32, 0);
  const f32x8 x37 = SPLAT(f32x8, f32, 0x1p+1f);
  const f32x8 x38 = SPLAT(f32x8, f32, 0x1.f13b1ep-3f);
  const f32x8 x39 = SPLAT(f32x8, f32, 0x1.23d3ep-2f);
  const f32x8 x40 = SPLAT(f32x8, f32, 0x1.999c26p-2f);
  const f32x8 x41 = SPLAT(f32x8, f32, 0x1.555554p-1f);
  const f32x8 x42 = SPLAT(f32x8, f32, 0x1.47652cp-12f);
  const f32x8 x43 = SPLAT(f32x8, f32, 0x1.62e43p-1f);
  ROLLED
  for (i32 r44 = 0; r44 < 5; r44++) {
    const i32 x45 = (i32)(r44 * 384);
    for (i32 r46 = 0; r46 < 4; r46++) {
      const i32 x47 = (i32)(r46 * 4);
      const i32 x48 = (i32)(((i32)(r46 * 96)) + x45);
      acc1 = x3;
      acc4 = x3;
      acc5 = x3;
      acc6 = x3;
      for (i32 r49 = 0; r49 < 3; r49++) {
        const i32 x50 = (i32)(((i32)(r49 * 8)) + x48);
        const f32x8 v51 = LOAD(f32x8, p1 + x50);
        const f32x8 v52 = acc1;
        acc1 = (WHERE(f32x8, i32x8, (CONVERT(v51 != v51, b8x8)), x2, (WHERE(f32x8, i32x8, (CONVERT(v52 < v51, b8x8)), v51, v52))));
        const f32x8 v53 = LOAD(f32x8, (p1 + x50) + 24);
        const f32x8 v54 = acc4;
        acc4 = (WHERE(f32x8, i32x8, (CONVERT(v53 != v53, b8x8)), x2, (WHERE(f32x8, i32x8, (CONVERT(v54 < v53, b8x8)), v53, v54))));
        const f32x8 v55 = LOAD(f32x8, (p1 + x50) + 48);
        const f32x8 v56 = acc5;
        acc5 = (WHERE(f32x8, i32x8, (CONVERT(v55 != v55, b8x8)), x2, (WHERE(f32x8, i32x8, (CONVERT(v56 < v55, b8x8)), v55, v56))));
        const f32x8 v57 = LOAD(f32x8, (p1 + x50) + 72);
        const f32x8 v58 = acc6;
        acc6 = (WHERE(f32x8, i32x8, (CONVERT(v57 != v57, b8x8)), x2, (WHERE(f32x8, i32x8, (CONVERT(v58 < v57, b8x8)), v57, v58))));
      }
      const f32x8 v59 = acc1;
      const f32x8 v60 = acc4;
      const f32x8 x61 = SHUFFLE(i32x8, v59, v60, 0, 8, 2, 10, 4, 12, 6, 14);
      const f32x8 x62 = SHUFFLE(i32x8, v59, v60, 1, 9, 3, 11, 5, 13, 7, 15);
      const f32x8 x63 = WHERE(f32x8, i32x8, (CONVERT(x61 != x61, b8x8)), x2, (WHERE(f32x8, i32x8, (CONVERT(x62 < x61, b8x8)), x61, x62)));
      const f32x8 v64 = acc5;
      const f32x8 v65 = acc6;
      const f32x8 x66 = SHUFFLE(i32x8, v64, v65, 1, 9, 3, 11, 5, 13, 7, 15);
      const f32x8 x67 = SHUFFLE(i32x8, v64, v65, 0, 8, 2, 10, 4, 12, 6, 14);
      const f32x8 x68 = WHERE(f32x8, i32x8, (CONVERT(x66 != x66, b8x8)), x2, (WHERE(f32x8, i32x8, (CONVERT(x67 < x66, b8x8)), x66, x67)));
      const f32x8 x69 = SHUFFLE(i32x8, x63, x68, 0, 1, 8, 9, 4, 5, 12, 13);
      const f32x8 x70 = SHUFFLE(i32x8, x63, x68, 2, 3, 10, 11, 6, 7, 14, 15);
      const f32x8 x71 = WHERE(f32x8, i32x8, (CONVERT(x69 != x69, b8x8)), x2, (WHERE(f32x8, i32x8, (CONVERT(x70 < x69, b8x8)), x69, x70)));
      const f32x4 x72 = LOW(f32x8, f32x4, x71);
      const f32x4 x73 = HIGH(f32x8, f32x4, x71);
      STORE(f32x4, local0 + x47, (WHERE(f32x4, i32x4, (CONVERT(x72 != x72, b8x4)), x7, (WHERE(f32x4, i32x4, (CONVERT(x73 < x72, b8x4)), x72, x73)))));
    }
    for (i32 r74 = 0; r74 < 4; r74++) {
      const i32 x75 = (i32)(r74 * 4);
      const i32 x76 = (i32)(((i32)(r74 * 96)) + x45);
      const f32 v77 = *(local0 + x75);
      const f32x8 x78 = SPLAT(f32x8, f32, v77);
      acc11 = x9;
      const f32 v79 = *((local0 + x75) + 1);
      const f32x8 x80 = SPLAT(f32x8, f32, v79);
      acc25 = x9;
      const f32 v81 = *((local0 + x75) + 2);
      const f32x8 x82 = SPLAT(f32x8, f32, v81);
      acc26 = x9;
      const f32 v83 = *((local0 + x75) + 3);
      const f32x8 x84 = SPLAT(f32x8, f32, v83);
      acc27 = x9;
      for (i32 r85 = 0; r85 < 3; r85++) {
        const i32 x86 = (i32)(((i32)(r85 * 8)) + x76);
        const f32x8 v87 = LOAD(f32x8, p1 + x86);
        const f32x8 x88 = v87 - x78;
        const f32x8 x89 = WHERE(f32x8, i32x8, (CONVERT(x88 < x12, b8x8)), x12, x88);
        const f32x8 x90 = FMA_LANES(f32x8, 32, 8, x89, x13, x14);
        const f32x8 x91 = x90 - x14;
        const f32x8 x92 = FMA_LANES(f32x8, 32, 8, x91, x15, (FMA_LANES(f32x8, 32, 8, x91, x16, x89)));
        acc11 = (FMA_LANES(f32x8, 32, 8, ((FMA_LANES(f32x8, 32, 8, (FMA_LANES(f32x8, 32, 8, (FMA_LANES(f32x8, 32, 8, (FMA_LANES(f32x8, 32, 8, (FMA_LANES(f32x8, 32, 8, (FMA_LANES(f32x8, 32, 8, x92, x17, x18)), x92, x19)), x92, x20)), x92, x21)), x92, x22)), x92, x22)) * ((f32x8)(((i32x8)x90) << x23))), x24, (acc11)));
        const f32x8 v93 = LOAD(f32x8, (p1 + x86) + 24);
        const f32x8 x94 = v93 - x80;
        const f32x8 x95 = WHERE(f32x8, i32x8, (CONVERT(x94 < x12, b8x8)), x12, x94);
        const f32x8 x96 = FMA_LANES(f32x8, 32, 8, x95, x13, x14);
        const f32x8 x97 = x96 - x14;
        const f32x8 x98 = FMA_LANES(f32x8, 32, 8, x97, x15, (FMA_LANES(f32x8, 32, 8, x97, x16, x95)));
        acc25 = (FMA_LANES(f32x8, 32, 8, ((FMA_LANES(f32x8, 32, 8, x98, (FMA_LANES(f32x8, 32, 8, (FMA_LANES(f32x8, 32, 8, (FMA_LANES(f32x8, 32, 8, (FMA_LANES(f32x8, 32, 8, (FMA_LANES(f32x8, 32, 8, x98, x17, x18)), x98, x19)), x98, x20)), x98, x21)), x98, x22)), x22)) * ((f32x8)(((i32x8)x96) << x23))), x24, (acc25)));
        const f32x8 v99 = LOAD(f32x8, (p1 + x86) + 48);
        const f32x8 x100 = v99 - x82;
        const f32x8 x101 = WHERE(f32x8, i32x8, (CONVERT(x100 < x12, b8x8)), x12, x100);
        const f32x8 x102 = FMA_LANES(f32x8, 32, 8, x101, x13, x14);
        const f32x8 x103 = x102 - x14;
        const f32x8 x104 = FMA_LANES(f32x8, 32, 8, x103, x15, (FMA_LANES(f32x8, 32, 8, x103, x16, x101)));
        acc26 = (FMA_LANES(f32x8, 32, 8, ((FMA_LANES(f32x8, 32, 8, (FMA_LANES(f32x8, 32, 8, (FMA_LANES(f32x8, 32, 8, (FMA_LANES(f32x8, 32, 8, (FMA_LANES(f32x8, 32, 8, x104, (FMA_LANES(f32x8, 32, 8, x104, x17, x18)), x19)), x104, x20)), x104, x21)), x104, x22)), x104, x22)) * ((f32x8)(((i32x8)x102) << x23))), x24, (acc26)));
        const f32x8 v105 = LOAD(f32x8, (p1 + x86) + 72);
        const f32x8 x106 = v105 - x84;
        const f32x8 x107 = WHERE(f32x8, i32x8, (CONVERT(x106 < x12, b8x8)), x12, x106);
        const f32x8 x108 = FMA_LANES(f32x8, 32, 8, x107, x13, x14);
        const f32x8 x109 = x108 - x14;
        const f32x8 x110 = FMA_LANES(f32x8, 32, 8, x109, x15, (FMA_LANES(f32x8, 32, 8, x109, x16, x107)));
        acc27 = (FMA_LANES(f32x8, 32, 8, ((FMA_LANES(f32x8, 32, 8, x110, (FMA_LANES(f32x8, 32, 8, x110, (FMA_LANES(f32x8, 32, 8, x110, (FMA_LANES(f32x8, 32, 8, x110, (FMA_LANES(f32x8, 32, 8, x110, (FMA_LANES(f32x8, 32, 8, x110, x17, x18)), x19)), x20)), x21)), x22)), x22)) * ((f32x8)(((i32x8)x108) << x23))), x24, (acc27)));
      }
      const f32x8 v111 = acc11;
      const f32x8 v112 = acc25;
      const f32x8 x113 = (SHUFFLE(i32x8, v111, v112, 0, 8, 2, 10, 4, 12, 6, 14)) + (SHUFFLE(i32x8, v111, v112, 1, 9, 3, 11, 5, 13, 7, 15));
      const f32x8 v114 = acc26;
      const f32x8 v115 = acc27;
      const f32x8 x116 = (SHUFFLE(i32x8, v114, v115, 0, 8, 2, 10, 4, 12, 6, 14)) + (SHUFFLE(i32x8, v114, v115, 1, 9, 3, 11, 5, 13, 7, 15));
      const f32x8 x117 = (SHUFFLE(i32x8, x113, x116, 0, 1, 8, 9, 4, 5, 12, 13)) + (SHUFFLE(i32x8, x113, x116, 2, 3, 10, 11, 6, 7, 14, 15));
      STORE(f32x4, local10 + x75, ((LOW(f32x8, f32x4, x117)) + (HIGH(f32x8, f32x4, x117))));
    }
    for (i32 r118 = 0; r118 < 2; r118++) {
      const i32 x119 = (i32)(r118 * 8);
      const f32x8 v120 = LOAD(f32x8, local10 + x119);
      const b8x8 x121 = CONVERT(v120 < x29, b8x8);
      const i32x8 x122 = (i32x8)(WHERE(f32x8, i32x8, x121, (v120 * x30), v120));
      const i32x8 x123 = (x122 - x31) >> x23;
      const f32x8 x124 = ((f32x8)(x122 - (x123 << x23))) - x22;
      const f32x8 x125 = x124 * (x124 * x32);
      const f32x8 x126 = (f32x8)(((i32x8)(x124 - x125)) & x33);
      const f32x8 x127 = x126 * x34;
      const f32x8 x128 = CONVERT((x123 - (WHERE(i32x8, i32x8, x121, x35, x36))), f32x8);
      const f32x8 x129 = x127 + x128;
      const f32x8 x130 = DIV(f32x8, i32x8, x124, (x124 + x37));
      const f32x8 x131 = x130 * x130;
      const f32x8 x132 = FMA_LANES(f32x8, 32, 8, (FMA_LANES(f32x8, 32, 8, (FMA_LANES(f32x8, 32, 8, (FMA_LANES(f32x8, 32, 8, (FMA_LANES(f32x8, 32, 8, x131, x38, x39)), x131, x40)), x131, x41)), x131, x125)), x130, ((x124 - x126) - x125));
      STORE(f32x8, local8 + x119, (-((WHERE(f32x8, i32x8, (CONVERT(x9 < v120, b8x8)), (WHERE(f32x8, i32x8, (CONVERT(v120 < x28, b8x8)), (x129 + ((FMA_LANES(f32x8, 32, 8, x132, x34, ((x132 + x126) * x42))) + ((x128 - x129) + x127))), v120)), (WHERE(f32x8, i32x8, (CONVERT(v120 != x9, b8x8)), x2, x3)))) * x43)));
    }
    for (i32 r133 = 0; r133 < 16; r133++) {
      const i32 x134 = (i32)(((i32)(r133 * 24)) + x45);
      const f32 v135 = *(local0 + r133);
      const f32x8 x136 = SPLAT(f32x8, f32, v135);
      const f32 v137 = *(local8 + r133);
      const f32x8 x138 = SPLAT(f32x8, f32, v137);
      for (i32 r139 = 0; r139 < 3; r139++) {
        const i32 x140 = (i32)(((i32)(r139 * 8)) + x134);
        __builtin_prefetch((p1 + x140) + 768, 0, 2);
        const f32x8 v141 = LOAD(f32x8, p1 + x140);
        STORE(f32x8, p0 + x140, ((v141 - x136) + x138));
      }
    }
  }
}
