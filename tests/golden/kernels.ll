; == elementwise
attributes #0 = { nounwind "no-builtins" }
!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.unroll.disable"}
!2 = !{i32 1}
declare <8 x float> @llvm.masked.load.v8f32.p0(ptr, i32, <8 x i1>, <8 x float>)
define hidden void @E_12_16_e8656e33(ptr %mem, ptr %args, i64 %task, ptr noalias %local) #0 {
begin:
  %p0.at = getelementptr i64, ptr %mem, i64 0
  %p0 = load ptr, ptr %p0.at, align 8
  %p2.at = getelementptr i64, ptr %mem, i64 2
  %p2 = load ptr, ptr %p2.at, align 8
  %p1.at = getelementptr i64, ptr %mem, i64 1
  %p1 = load ptr, ptr %p1.at, align 8
  %t0 = insertelement <8 x i8> poison, i8 0, i64 0
  %v11 = shufflevector <8 x i8> %t0, <8 x i8> poison, <8 x i32> zeroinitializer
  %t1 = insertelement <8 x i32> poison, i32 12, i64 0
  %v13 = shufflevector <8 x i32> %t1, <8 x i32> poison, <8 x i32> zeroinitializer
  br label %L0
L0:
  %v15 = phi i32 [ 0, %begin ], [ %v15.next, %L0.tail ]
  %t2 = icmp slt i32 %v15, 12
  br i1 %t2, label %L0.body, label %L0.end
L0.body:
  %v16 = mul nsw i32 %v15, 16
  %v17 = mul nsw i32 %v15, 12
  %v18 = icmp slt i32 0, %v15
  %v19 = select i1 %v18, i8 1, i8 0
  %t3 = insertelement <8 x i8> poison, i8 %v19, i64 0
  %v20 = shufflevector <8 x i8> %t3, <8 x i8> poison, <8 x i32> zeroinitializer
  %v21 = icmp ne <8 x i8> %v20, %v11
  %v22 = icmp slt i32 %v15, 11
  %v23 = select i1 %v22, i8 1, i8 0
  %t4 = insertelement <8 x i8> poison, i8 %v23, i64 0
  %v24 = shufflevector <8 x i8> %t4, <8 x i8> poison, <8 x i32> zeroinitializer
  %v25 = icmp ne <8 x i8> %v24, %v11
  br label %L1
L1:
  %v26 = phi i32 [ 0, %L0.body ], [ %v26.next, %L1.tail ]
  %t5 = icmp slt i32 %v26, 2
  br i1 %t5, label %L1.body, label %L1.end
L1.body:
  %v27 = mul nsw i32 %v26, 8
  %v28 = add nsw i32 %v16, %v27
  %t6 = getelementptr inbounds float, ptr %p2, i32 %v27
  %v31 = load <8 x float>, ptr %t6, align 4
  %v32 = add nsw i32 %v27, %v17
  %v33 = add nsw i32 %v32, -12
  %t7 = insertelement <8 x i32> poison, i32 %v27, i64 0
  %v34 = shufflevector <8 x i32> %t7, <8 x i32> poison, <8 x i32> zeroinitializer
  %v35 = add nsw <8 x i32> %v34, <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %v36 = icmp slt <8 x i32> %v35, %v13
  %v37 = and <8 x i1> %v21, %v36
  %v38 = and <8 x i1> %v37, %v25
  %t8 = getelementptr float, ptr %p1, i32 %v33
  %v40 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %t8, i32 4, <8 x i1> %v38, <8 x float> zeroinitializer)
  %v41 = fadd <8 x float> %v31, %v40
  %t9 = getelementptr inbounds float, ptr %p0, i32 %v28
  store <8 x float> %v41, ptr %t9, align 4
  br label %L1.tail
L1.tail:
  %v26.next = add nsw i32 %v26, 1
  br label %L1
L1.end:
  br label %L0.tail
L0.tail:
  %v15.next = add nsw i32 %v15, 1
  br label %L0
L0.end:
  ret void
}
; == integers
attributes #0 = { nounwind "no-builtins" }
!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.unroll.disable"}
!2 = !{i32 1}
define hidden void @E_70_7cef9e85(ptr %mem, ptr %args, i64 %task, ptr noalias %local) #0 {
begin:
  %p0.at = getelementptr i64, ptr %mem, i64 0
  %p0 = load ptr, ptr %p0.at, align 8
  %p1.at = getelementptr i64, ptr %mem, i64 1
  %p1 = load ptr, ptr %p1.at, align 8
  %p2.at = getelementptr i64, ptr %mem, i64 2
  %p2 = load ptr, ptr %p2.at, align 8
  %t0 = insertelement <8 x float> poison, float 0x4059000000000000, i64 0
  %v7 = shufflevector <8 x float> %t0, <8 x float> poison, <8 x i32> zeroinitializer
  %t1 = insertelement <8 x float> poison, float 0xC0E0000000000000, i64 0
  %v9 = shufflevector <8 x float> %t1, <8 x float> poison, <8 x i32> zeroinitializer
  %t2 = insertelement <8 x i1> poison, i1 true, i64 0
  %v11 = shufflevector <8 x i1> %t2, <8 x i1> poison, <8 x i32> zeroinitializer
  %t3 = insertelement <8 x float> poison, float 0x40E0000000000000, i64 0
  %v13 = shufflevector <8 x float> %t3, <8 x float> poison, <8 x i32> zeroinitializer
  %t4 = insertelement <8 x float> poison, float 0x0000000000000000, i64 0
  %v15 = shufflevector <8 x float> %t4, <8 x float> poison, <8 x i32> zeroinitializer
  %t5 = insertelement <8 x i16> poison, i16 32767, i64 0
  %v17 = shufflevector <8 x i16> %t5, <8 x i16> poison, <8 x i32> zeroinitializer
  %t6 = insertelement <8 x i16> poison, i16 -32768, i64 0
  %v19 = shufflevector <8 x i16> %t6, <8 x i16> poison, <8 x i32> zeroinitializer
  %t7 = insertelement <8 x i16> poison, i16 0, i64 0
  %v21 = shufflevector <8 x i16> %t7, <8 x i16> poison, <8 x i32> zeroinitializer
  %t8 = insertelement <8 x i16> poison, i16 2, i64 0
  %v23 = shufflevector <8 x i16> %t8, <8 x i16> poison, <8 x i32> zeroinitializer
  %t9 = insertelement <8 x i16> poison, i16 5, i64 0
  %v25 = shufflevector <8 x i16> %t9, <8 x i16> poison, <8 x i32> zeroinitializer
  %t10 = insertelement <8 x i16> poison, i16 -1, i64 0
  %v27 = shufflevector <8 x i16> %t10, <8 x i16> poison, <8 x i32> zeroinitializer
  %t11 = insertelement <8 x i16> poison, i16 1, i64 0
  %v30 = shufflevector <8 x i16> %t11, <8 x i16> poison, <8 x i32> zeroinitializer
  br label %L0
L0:
  %v31 = phi i32 [ 0, %begin ], [ %v31.next, %L0.tail ]
  %t12 = icmp slt i32 %v31, 9
  br i1 %t12, label %L0.body, label %L0.end
L0.body:
  %v32 = mul nsw i32 %v31, -8
  %v33 = add nsw i32 %v32, 62
  %v34 = icmp slt i32 %v33, 0
  %v35 = select i1 %v34, i32 0, i32 %v33
  %v36 = sub nsw i32 62, %v35
  %t13 = getelementptr inbounds float, ptr %p1, i32 %v36
  %v39 = load <8 x float>, ptr %t13, align 4
  %v40 = fmul <8 x float> %v39, %v7
  %v41 = fcmp olt <8 x float> %v40, %v9
  %v42 = xor <8 x i1> %v41, %v11
  %v43 = fcmp olt <8 x float> %v40, %v13
  %v44 = and <8 x i1> %v42, %v43
  %v45 = select <8 x i1> %v44, <8 x float> %v40, <8 x float> %v15
  %v46 = fptosi <8 x float> %v45 to <8 x i16>
  %v47 = fcmp olt <8 x float> %v15, %v40
  %v48 = fcmp olt <8 x float> %v40, %v15
  %v49 = select <8 x i1> %v48, <8 x i16> %v19, <8 x i16> %v21
  %v50 = select <8 x i1> %v47, <8 x i16> %v17, <8 x i16> %v49
  %v51 = select <8 x i1> %v44, <8 x i16> %v46, <8 x i16> %v50
  %v52 = ashr <8 x i16> %v51, %v23
  %v53 = xor <8 x i16> %v51, %v25
  %v54 = icmp ne <8 x i16> %v53, %v21
  %v55 = icmp ne <8 x i16> %v53, %v27
  %t14 = getelementptr inbounds float, ptr %p2, i32 %v36
  %v57 = load <8 x float>, ptr %t14, align 4
  %v58 = fmul <8 x float> %v57, %v7
  %v59 = fcmp olt <8 x float> %v58, %v9
  %v60 = xor <8 x i1> %v59, %v11
  %v61 = fcmp olt <8 x float> %v58, %v13
  %v62 = and <8 x i1> %v60, %v61
  %v63 = select <8 x i1> %v62, <8 x float> %v58, <8 x float> %v15
  %v64 = fptosi <8 x float> %v63 to <8 x i16>
  %v65 = fcmp olt <8 x float> %v15, %v58
  %v66 = fcmp olt <8 x float> %v58, %v15
  %v67 = select <8 x i1> %v66, <8 x i16> %v19, <8 x i16> %v21
  %v68 = select <8 x i1> %v65, <8 x i16> %v17, <8 x i16> %v67
  %v69 = select <8 x i1> %v62, <8 x i16> %v64, <8 x i16> %v68
  %v70 = select <8 x i1> %v55, <8 x i16> %v53, <8 x i16> %v30
  %v71 = icmp ne <8 x i16> %v70, %v21
  %v72 = select <8 x i1> %v71, <8 x i16> %v70, <8 x i16> %v30
  %v73 = srem <8 x i16> %v69, %v72
  %v74 = select <8 x i1> %v55, <8 x i16> %v73, <8 x i16> %v21
  %v75 = select <8 x i1> %v54, <8 x i16> %v74, <8 x i16> %v69
  %v76 = icmp ne <8 x i16> %v75, %v21
  %v77 = xor <8 x i16> %v75, %v53
  %v78 = icmp slt <8 x i16> %v77, %v21
  %v79 = and <8 x i1> %v76, %v78
  %v80 = and <8 x i1> %v79, %v54
  %v81 = select <8 x i1> %v80, <8 x i16> %v27, <8 x i16> %v21
  %v82 = sdiv <8 x i16> %v69, %v72
  %v83 = sub <8 x i16> zeroinitializer, %v69
  %v84 = select <8 x i1> %v55, <8 x i16> %v82, <8 x i16> %v83
  %v85 = select <8 x i1> %v54, <8 x i16> %v84, <8 x i16> %v21
  %v86 = add <8 x i16> %v81, %v85
  %v87 = add <8 x i16> %v52, %v86
  %t15 = getelementptr inbounds i16, ptr %p0, i32 %v36
  store <8 x i16> %v87, ptr %t15, align 2
  br label %L0.tail
L0.tail:
  %v31.next = add nsw i32 %v31, 1
  br label %L0
L0.end:
  ret void
}
; == bytes
attributes #0 = { nounwind "no-builtins" }
!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.unroll.disable"}
!2 = !{i32 1}
define hidden void @r_9_300_9a23902a(ptr %mem, ptr %args, i64 %task, ptr noalias %local) #0 {
begin:
  %p0.at = getelementptr i64, ptr %mem, i64 0
  %p0 = load ptr, ptr %p0.at, align 8
  %p1.at = getelementptr i64, ptr %mem, i64 1
  %p1 = load ptr, ptr %p1.at, align 8
  %v2 = alloca <4 x i64>, align 32
  %v27 = alloca <4 x i64>, align 32
  %v30 = alloca <4 x i64>, align 32
  %t0 = insertelement <4 x float> poison, float 0x4059000000000000, i64 0
  %v10 = shufflevector <4 x float> %t0, <4 x float> poison, <4 x i32> zeroinitializer
  %t1 = insertelement <4 x float> poison, float 0xC060000000000000, i64 0
  %v12 = shufflevector <4 x float> %t1, <4 x float> poison, <4 x i32> zeroinitializer
  %t2 = insertelement <4 x i1> poison, i1 true, i64 0
  %v14 = shufflevector <4 x i1> %t2, <4 x i1> poison, <4 x i32> zeroinitializer
  %t3 = insertelement <4 x float> poison, float 0x4060000000000000, i64 0
  %v16 = shufflevector <4 x float> %t3, <4 x float> poison, <4 x i32> zeroinitializer
  %t4 = insertelement <4 x float> poison, float 0x0000000000000000, i64 0
  %v18 = shufflevector <4 x float> %t4, <4 x float> poison, <4 x i32> zeroinitializer
  %t5 = insertelement <4 x i8> poison, i8 127, i64 0
  %v20 = shufflevector <4 x i8> %t5, <4 x i8> poison, <4 x i32> zeroinitializer
  %t6 = insertelement <4 x i8> poison, i8 -128, i64 0
  %v22 = shufflevector <4 x i8> %t6, <4 x i8> poison, <4 x i32> zeroinitializer
  %t7 = insertelement <4 x i8> poison, i8 0, i64 0
  %v24 = shufflevector <4 x i8> %t7, <4 x i8> poison, <4 x i32> zeroinitializer
  %t8 = insertelement <4 x i64> poison, i64 0, i64 0
  %v26 = shufflevector <4 x i64> %t8, <4 x i64> poison, <4 x i32> zeroinitializer
  br label %L0
L0:
  %v34 = phi i32 [ 0, %begin ], [ %v34.next, %L0.tail ]
  %t9 = icmp slt i32 %v34, 3
  br i1 %t9, label %L0.body, label %L0.end
L0.body:
  %v35 = mul nsw i32 %v34, 3
  %v37 = mul nsw i32 %v34, 900
  store <4 x i64> %v26, ptr %v2, align 32
  store <4 x i64> %v26, ptr %v27, align 32
  store <4 x i64> %v26, ptr %v30, align 32
  br label %L1
L1:
  %v47 = phi i32 [ 0, %L0.body ], [ %v47.next, %L1.tail ]
  %t10 = icmp slt i32 %v47, 75
  br i1 %t10, label %L1.body, label %L1.end, !prof !{!"branch_weights", i32 74, i32 1}
L1.body:
  %v48 = mul nsw i32 %v47, 4
  %v49 = add nsw i32 %v37, %v48
  %t11 = getelementptr inbounds float, ptr %p1, i32 %v49
  %v51 = load <4 x float>, ptr %t11, align 4
  %v52 = fmul <4 x float> %v51, %v10
  %v53 = fcmp olt <4 x float> %v52, %v12
  %v54 = xor <4 x i1> %v53, %v14
  %v55 = fcmp olt <4 x float> %v52, %v16
  %v56 = and <4 x i1> %v54, %v55
  %v57 = select <4 x i1> %v56, <4 x float> %v52, <4 x float> %v18
  %v58 = fptosi <4 x float> %v57 to <4 x i8>
  %v59 = fcmp olt <4 x float> %v18, %v52
  %v60 = fcmp olt <4 x float> %v52, %v18
  %v61 = select <4 x i1> %v60, <4 x i8> %v22, <4 x i8> %v24
  %v62 = select <4 x i1> %v59, <4 x i8> %v20, <4 x i8> %v61
  %v63 = select <4 x i1> %v56, <4 x i8> %v58, <4 x i8> %v62
  %v64 = sext <4 x i8> %v63 to <4 x i64>
  %v67 = load <4 x i64>, ptr %v2, align 32
  %v68 = add <4 x i64> %v64, %v67
  store <4 x i64> %v68, ptr %v2, align 32
  %v70 = add nsw i32 %v49, 300
  %t12 = getelementptr inbounds float, ptr %p1, i32 %v70
  %v72 = load <4 x float>, ptr %t12, align 4
  %v73 = fmul <4 x float> %v72, %v10
  %v74 = fcmp olt <4 x float> %v73, %v12
  %v75 = xor <4 x i1> %v74, %v14
  %v76 = fcmp olt <4 x float> %v73, %v16
  %v77 = and <4 x i1> %v75, %v76
  %v78 = select <4 x i1> %v77, <4 x float> %v73, <4 x float> %v18
  %v79 = fptosi <4 x float> %v78 to <4 x i8>
  %v80 = fcmp olt <4 x float> %v18, %v73
  %v81 = fcmp olt <4 x float> %v73, %v18
  %v82 = select <4 x i1> %v81, <4 x i8> %v22, <4 x i8> %v24
  %v83 = select <4 x i1> %v80, <4 x i8> %v20, <4 x i8> %v82
  %v84 = select <4 x i1> %v77, <4 x i8> %v79, <4 x i8> %v83
  %v85 = sext <4 x i8> %v84 to <4 x i64>
  %v88 = load <4 x i64>, ptr %v27, align 32
  %v89 = add <4 x i64> %v85, %v88
  store <4 x i64> %v89, ptr %v27, align 32
  %v91 = add nsw i32 %v49, 600
  %t13 = getelementptr inbounds float, ptr %p1, i32 %v91
  %v93 = load <4 x float>, ptr %t13, align 4
  %v94 = fmul <4 x float> %v93, %v10
  %v95 = fcmp olt <4 x float> %v94, %v12
  %v96 = xor <4 x i1> %v95, %v14
  %v97 = fcmp olt <4 x float> %v94, %v16
  %v98 = and <4 x i1> %v96, %v97
  %v99 = select <4 x i1> %v98, <4 x float> %v94, <4 x float> %v18
  %v100 = fptosi <4 x float> %v99 to <4 x i8>
  %v101 = fcmp olt <4 x float> %v18, %v94
  %v102 = fcmp olt <4 x float> %v94, %v18
  %v103 = select <4 x i1> %v102, <4 x i8> %v22, <4 x i8> %v24
  %v104 = select <4 x i1> %v101, <4 x i8> %v20, <4 x i8> %v103
  %v105 = select <4 x i1> %v98, <4 x i8> %v100, <4 x i8> %v104
  %v106 = sext <4 x i8> %v105 to <4 x i64>
  %v109 = load <4 x i64>, ptr %v30, align 32
  %v110 = add <4 x i64> %v106, %v109
  store <4 x i64> %v110, ptr %v30, align 32
  br label %L1.tail
L1.tail:
  %v47.next = add nsw i32 %v47, 1
  br label %L1
L1.end:
  %v116 = load <4 x i64>, ptr %v2, align 32
  %v117 = extractelement <4 x i64> %v116, i64 1
  %v120 = load <4 x i64>, ptr %v27, align 32
  %v121 = extractelement <4 x i64> %v120, i64 1
  %v122 = extractelement <4 x i64> %v116, i64 3
  %v123 = extractelement <4 x i64> %v120, i64 3
  %v124 = shufflevector <4 x i64> %v116, <4 x i64> %v120, <4 x i32> <i32 1, i32 5, i32 3, i32 7>
  %v125 = extractelement <4 x i64> %v116, i64 0
  %v126 = extractelement <4 x i64> %v120, i64 0
  %v127 = extractelement <4 x i64> %v116, i64 2
  %v128 = extractelement <4 x i64> %v120, i64 2
  %v129 = shufflevector <4 x i64> %v116, <4 x i64> %v120, <4 x i32> <i32 0, i32 4, i32 2, i32 6>
  %v130 = add <4 x i64> %v124, %v129
  %v131 = shufflevector <4 x i64> %v130, <4 x i64> poison, <2 x i32> <i32 0, i32 1>
  %v132 = shufflevector <4 x i64> %v130, <4 x i64> poison, <2 x i32> <i32 2, i32 3>
  %v133 = add <2 x i64> %v131, %v132
  %t14 = getelementptr inbounds i64, ptr %p0, i32 %v35
  store <2 x i64> %v133, ptr %t14, align 8
  %v135 = add nsw i32 %v35, 2
  %v139 = load <4 x i64>, ptr %v30, align 32
  %v140 = shufflevector <4 x i64> %v139, <4 x i64> poison, <2 x i32> <i32 0, i32 1>
  %v141 = shufflevector <4 x i64> %v139, <4 x i64> poison, <2 x i32> <i32 2, i32 3>
  %v142 = add <2 x i64> %v140, %v141
  %v143 = extractelement <2 x i64> %v142, i64 1
  %v144 = extractelement <2 x i64> %v142, i64 0
  %v145 = add i64 %v143, %v144
  %t15 = getelementptr inbounds i64, ptr %p0, i32 %v135
  store i64 %v145, ptr %t15, align 8
  br label %L0.tail
L0.tail:
  %v34.next = add nsw i32 %v34, 1
  br label %L0
L0.end:
  ret void
}
; == matmul
attributes #0 = { nounwind "no-builtins" }
!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.unroll.disable"}
!2 = !{i32 1}
declare <8 x float> @llvm.fma.v8f32(<8 x float>, <8 x float>, <8 x float>)
define hidden void @r_40_56_48_b62f4411(ptr %mem, ptr %args, i64 %task, ptr noalias %local) #0 {
begin:
  %p0.at = getelementptr i64, ptr %mem, i64 0
  %p0 = load ptr, ptr %p0.at, align 8
  %p1.at = getelementptr i64, ptr %mem, i64 1
  %p1 = load ptr, ptr %p1.at, align 8
  %p2.at = getelementptr i64, ptr %mem, i64 2
  %p2 = load ptr, ptr %p2.at, align 8
  %v10 = alloca <8 x float>, align 32
  %v21 = alloca <8 x float>, align 32
  %v24 = alloca <8 x float>, align 32
  %v27 = alloca <8 x float>, align 32
  %v29 = alloca <8 x float>, align 32
  %v31 = alloca <8 x float>, align 32
  %v33 = alloca <8 x float>, align 32
  %v35 = alloca <8 x float>, align 32
  %v37 = alloca <8 x float>, align 32
  %v40 = alloca <8 x float>, align 32
  %v42 = alloca <8 x float>, align 32
  %v44 = alloca <8 x float>, align 32
  %v46 = alloca <8 x float>, align 32
  %v49 = alloca <8 x float>, align 32
  %v51 = alloca <8 x float>, align 32
  %v53 = alloca <8 x float>, align 32
  %v55 = alloca <8 x float>, align 32
  %v58 = alloca <8 x float>, align 32
  %v60 = alloca <8 x float>, align 32
  %v62 = alloca <8 x float>, align 32
  %v2 = trunc i64 %task to i32
  %v4 = mul nsw i32 %v2, 1120
  %v15 = mul nsw i32 %v2, 960
  %t0 = insertelement <8 x float> poison, float 0x0000000000000000, i64 0
  %v20 = shufflevector <8 x float> %t0, <8 x float> poison, <8 x i32> zeroinitializer
  br label %L0
L0:
  %v77 = phi i32 [ 0, %begin ], [ %v77.next, %L0.tail ]
  %t1 = icmp slt i32 %v77, 4
  br i1 %t1, label %L0.body, label %L0.end
L0.body:
  %v78 = mul nsw i32 %v77, 280
  %v79 = mul nsw i32 %v77, 240
  br label %L1
L1:
  %v80 = phi i32 [ 0, %L0.body ], [ %v80.next, %L1.tail ]
  %t2 = icmp slt i32 %v80, 2
  br i1 %t2, label %L1.body, label %L1.end
L1.body:
  %v81 = mul nsw i32 %v80, -32
  %v82 = add nsw i32 %v81, 24
  %v83 = icmp slt i32 %v82, 0
  %v84 = select i1 %v83, i32 0, i32 %v82
  %v85 = sub nsw i32 %v4, %v84
  %v86 = add nsw i32 %v85, %v78
  %v87 = add nsw i32 %v86, 24
  store <8 x float> %v20, ptr %v10, align 32
  store <8 x float> %v20, ptr %v21, align 32
  store <8 x float> %v20, ptr %v24, align 32
  store <8 x float> %v20, ptr %v27, align 32
  store <8 x float> %v20, ptr %v29, align 32
  store <8 x float> %v20, ptr %v31, align 32
  store <8 x float> %v20, ptr %v33, align 32
  store <8 x float> %v20, ptr %v35, align 32
  store <8 x float> %v20, ptr %v37, align 32
  store <8 x float> %v20, ptr %v40, align 32
  store <8 x float> %v20, ptr %v42, align 32
  store <8 x float> %v20, ptr %v44, align 32
  store <8 x float> %v20, ptr %v46, align 32
  store <8 x float> %v20, ptr %v49, align 32
  store <8 x float> %v20, ptr %v51, align 32
  store <8 x float> %v20, ptr %v53, align 32
  store <8 x float> %v20, ptr %v55, align 32
  store <8 x float> %v20, ptr %v58, align 32
  store <8 x float> %v20, ptr %v60, align 32
  store <8 x float> %v20, ptr %v62, align 32
  br label %L2
L2:
  %v149 = phi i32 [ 0, %L1.body ], [ %v149.next, %L2.tail ]
  %t3 = icmp slt i32 %v149, 48
  br i1 %t3, label %L2.body, label %L2.end
L2.body:
  %v150 = add nsw i32 %v15, %v149
  %v151 = add nsw i32 %v79, %v150
  %t4 = getelementptr inbounds float, ptr %p1, i32 %v151
  %v153 = load float, ptr %t4, align 4
  %t5 = insertelement <8 x float> poison, float %v153, i64 0
  %v154 = shufflevector <8 x float> %t5, <8 x float> poison, <8 x i32> zeroinitializer
  %v155 = mul nsw i32 %v149, 56
  %v156 = sub nsw i32 %v155, %v84
  %v157 = add nsw i32 %v156, 24
  %t6 = getelementptr inbounds float, ptr %p2, i32 %v157
  %v159 = load <8 x float>, ptr %t6, align 4
  %v162 = load <8 x float>, ptr %v10, align 32
  %v163 = call <8 x float> @llvm.fma.v8f32(<8 x float> %v154, <8 x float> %v159, <8 x float> %v162)
  store <8 x float> %v163, ptr %v10, align 32
  %v165 = add nsw i32 %v156, 32
  %t7 = getelementptr inbounds float, ptr %p2, i32 %v165
  %v167 = load <8 x float>, ptr %t7, align 4
  %v170 = load <8 x float>, ptr %v21, align 32
  %v171 = call <8 x float> @llvm.fma.v8f32(<8 x float> %v154, <8 x float> %v167, <8 x float> %v170)
  store <8 x float> %v171, ptr %v21, align 32
  %v173 = add nsw i32 %v156, 40
  %t8 = getelementptr inbounds float, ptr %p2, i32 %v173
  %v175 = load <8 x float>, ptr %t8, align 4
  %v178 = load <8 x float>, ptr %v24, align 32
  %v179 = call <8 x float> @llvm.fma.v8f32(<8 x float> %v154, <8 x float> %v175, <8 x float> %v178)
  store <8 x float> %v179, ptr %v24, align 32
  %v181 = add nsw i32 %v156, 48
  %t9 = getelementptr inbounds float, ptr %p2, i32 %v181
  %v183 = load <8 x float>, ptr %t9, align 4
  %v186 = load <8 x float>, ptr %v27, align 32
  %v187 = call <8 x float> @llvm.fma.v8f32(<8 x float> %v154, <8 x float> %v183, <8 x float> %v186)
  store <8 x float> %v187, ptr %v27, align 32
  %v189 = add nsw i32 %v151, 48
  %t10 = getelementptr inbounds float, ptr %p1, i32 %v189
  %v191 = load float, ptr %t10, align 4
  %t11 = insertelement <8 x float> poison, float %v191, i64 0
  %v192 = shufflevector <8 x float> %t11, <8 x float> poison, <8 x i32> zeroinitializer
  %v195 = load <8 x float>, ptr %v29, align 32
  %v196 = call <8 x float> @llvm.fma.v8f32(<8 x float> %v192, <8 x float> %v159, <8 x float> %v195)
  store <8 x float> %v196, ptr %v29, align 32
  %v200 = load <8 x float>, ptr %v31, align 32
  %v201 = call <8 x float> @llvm.fma.v8f32(<8 x float> %v192, <8 x float> %v167, <8 x float> %v200)
  store <8 x float> %v201, ptr %v31, align 32
  %v205 = load <8 x float>, ptr %v33, align 32
  %v206 = call <8 x float> @llvm.fma.v8f32(<8 x float> %v192, <8 x float> %v175, <8 x float> %v205)
  store <8 x float> %v206, ptr %v33, align 32
  %v210 = load <8 x float>, ptr %v35, align 32
  %v211 = call <8 x float> @llvm.fma.v8f32(<8 x float> %v192, <8 x float> %v183, <8 x float> %v210)
  store <8 x float> %v211, ptr %v35, align 32
  %v213 = add nsw i32 %v151, 96
  %t12 = getelementptr inbounds float, ptr %p1, i32 %v213
  %v215 = load float, ptr %t12, align 4
  %t13 = insertelement <8 x float> poison, float %v215, i64 0
  %v216 = shufflevector <8 x float> %t13, <8 x float> poison, <8 x i32> zeroinitializer
  %v219 = load <8 x float>, ptr %v37, align 32
  %v220 = call <8 x float> @llvm.fma.v8f32(<8 x float> %v216, <8 x float> %v159, <8 x float> %v219)
  store <8 x float> %v220, ptr %v37, align 32
  %v224 = load <8 x float>, ptr %v40, align 32
  %v225 = call <8 x float> @llvm.fma.v8f32(<8 x float> %v216, <8 x float> %v167, <8 x float> %v224)
  store <8 x float> %v225, ptr %v40, align 32
  %v229 = load <8 x float>, ptr %v42, align 32
  %v230 = call <8 x float> @llvm.fma.v8f32(<8 x float> %v216, <8 x float> %v175, <8 x float> %v229)
  store <8 x float> %v230, ptr %v42, align 32
  %v234 = load <8 x float>, ptr %v44, align 32
  %v235 = call <8 x float> @llvm.fma.v8f32(<8 x float> %v216, <8 x float> %v183, <8 x float> %v234)
  store <8 x float> %v235, ptr %v44, align 32
  %v237 = add nsw i32 %v151, 144
  %t14 = getelementptr inbounds float, ptr %p1, i32 %v237
  %v239 = load float, ptr %t14, align 4
  %t15 = insertelement <8 x float> poison, float %v239, i64 0
  %v240 = shufflevector <8 x float> %t15, <8 x float> poison, <8 x i32> zeroinitializer
  %v243 = load <8 x float>, ptr %v46, align 32
  %v244 = call <8 x float> @llvm.fma.v8f32(<8 x float> %v240, <8 x float> %v159, <8 x float> %v243)
  store <8 x float> %v244, ptr %v46, align 32
  %v248 = load <8 x float>, ptr %v49, align 32
  %v249 = call <8 x float> @llvm.fma.v8f32(<8 x float> %v240, <8 x float> %v167, <8 x float> %v248)
  store <8 x float> %v249, ptr %v49, align 32
  %v253 = load <8 x float>, ptr %v51, align 32
  %v254 = call <8 x float> @llvm.fma.v8f32(<8 x float> %v240, <8 x float> %v175, <8 x float> %v253)
  store <8 x float> %v254, ptr %v51, align 32
  %v258 = load <8 x float>, ptr %v53, align 32
  %v259 = call <8 x float> @llvm.fma.v8f32(<8 x float> %v240, <8 x float> %v183, <8 x float> %v258)
  store <8 x float> %v259, ptr %v53, align 32
  %v261 = add nsw i32 %v151, 192
  %t16 = getelementptr inbounds float, ptr %p1, i32 %v261
  %v263 = load float, ptr %t16, align 4
  %t17 = insertelement <8 x float> poison, float %v263, i64 0
  %v264 = shufflevector <8 x float> %t17, <8 x float> poison, <8 x i32> zeroinitializer
  %v267 = load <8 x float>, ptr %v55, align 32
  %v268 = call <8 x float> @llvm.fma.v8f32(<8 x float> %v264, <8 x float> %v159, <8 x float> %v267)
  store <8 x float> %v268, ptr %v55, align 32
  %v272 = load <8 x float>, ptr %v58, align 32
  %v273 = call <8 x float> @llvm.fma.v8f32(<8 x float> %v264, <8 x float> %v167, <8 x float> %v272)
  store <8 x float> %v273, ptr %v58, align 32
  %v277 = load <8 x float>, ptr %v60, align 32
  %v278 = call <8 x float> @llvm.fma.v8f32(<8 x float> %v264, <8 x float> %v175, <8 x float> %v277)
  store <8 x float> %v278, ptr %v60, align 32
  %v282 = load <8 x float>, ptr %v62, align 32
  %v283 = call <8 x float> @llvm.fma.v8f32(<8 x float> %v264, <8 x float> %v183, <8 x float> %v282)
  store <8 x float> %v283, ptr %v62, align 32
  br label %L2.tail
L2.tail:
  %v149.next = add nsw i32 %v149, 1
  br label %L2, !llvm.loop !0
L2.end:
  %v289 = load <8 x float>, ptr %v10, align 32
  %v290 = fcmp olt <8 x float> %v289, %v20
  %v291 = select <8 x i1> %v290, <8 x float> %v20, <8 x float> %v289
  %t18 = getelementptr inbounds float, ptr %p0, i32 %v87
  store <8 x float> %v291, ptr %t18, align 4
  %v293 = add nsw i32 %v86, 32
  %v297 = load <8 x float>, ptr %v21, align 32
  %v298 = fcmp olt <8 x float> %v297, %v20
  %v299 = select <8 x i1> %v298, <8 x float> %v20, <8 x float> %v297
  %t19 = getelementptr inbounds float, ptr %p0, i32 %v293
  store <8 x float> %v299, ptr %t19, align 4
  %v301 = add nsw i32 %v86, 40
  %v305 = load <8 x float>, ptr %v24, align 32
  %v306 = fcmp olt <8 x float> %v305, %v20
  %v307 = select <8 x i1> %v306, <8 x float> %v20, <8 x float> %v305
  %t20 = getelementptr inbounds float, ptr %p0, i32 %v301
  store <8 x float> %v307, ptr %t20, align 4
  %v309 = add nsw i32 %v86, 48
  %v313 = load <8 x float>, ptr %v27, align 32
  %v314 = fcmp olt <8 x float> %v313, %v20
  %v315 = select <8 x i1> %v314, <8 x float> %v20, <8 x float> %v313
  %t21 = getelementptr inbounds float, ptr %p0, i32 %v309
  store <8 x float> %v315, ptr %t21, align 4
  %v317 = add nsw i32 %v86, 80
  %v321 = load <8 x float>, ptr %v29, align 32
  %v322 = fcmp olt <8 x float> %v321, %v20
  %v323 = select <8 x i1> %v322, <8 x float> %v20, <8 x float> %v321
  %t22 = getelementptr inbounds float, ptr %p0, i32 %v317
  store <8 x float> %v323, ptr %t22, align 4
  %v325 = add nsw i32 %v86, 88
  %v329 = load <8 x float>, ptr %v31, align 32
  %v330 = fcmp olt <8 x float> %v329, %v20
  %v331 = select <8 x i1> %v330, <8 x float> %v20, <8 x float> %v329
  %t23 = getelementptr inbounds float, ptr %p0, i32 %v325
  store <8 x float> %v331, ptr %t23, align 4
  %v333 = add nsw i32 %v86, 96
  %v337 = load <8 x float>, ptr %v33, align 32
  %v338 = fcmp olt <8 x float> %v337, %v20
  %v339 = select <8 x i1> %v338, <8 x float> %v20, <8 x float> %v337
  %t24 = getelementptr inbounds float, ptr %p0, i32 %v333
  store <8 x float> %v339, ptr %t24, align 4
  %v341 = add nsw i32 %v86, 104
  %v345 = load <8 x float>, ptr %v35, align 32
  %v346 = fcmp olt <8 x float> %v345, %v20
  %v347 = select <8 x i1> %v346, <8 x float> %v20, <8 x float> %v345
  %t25 = getelementptr inbounds float, ptr %p0, i32 %v341
  store <8 x float> %v347, ptr %t25, align 4
  %v349 = add nsw i32 %v86, 136
  %v353 = load <8 x float>, ptr %v37, align 32
  %v354 = fcmp olt <8 x float> %v353, %v20
  %v355 = select <8 x i1> %v354, <8 x float> %v20, <8 x float> %v353
  %t26 = getelementptr inbounds float, ptr %p0, i32 %v349
  store <8 x float> %v355, ptr %t26, align 4
  %v357 = add nsw i32 %v86, 144
  %v361 = load <8 x float>, ptr %v40, align 32
  %v362 = fcmp olt <8 x float> %v361, %v20
  %v363 = select <8 x i1> %v362, <8 x float> %v20, <8 x float> %v361
  %t27 = getelementptr inbounds float, ptr %p0, i32 %v357
  store <8 x float> %v363, ptr %t27, align 4
  %v365 = add nsw i32 %v86, 152
  %v369 = load <8 x float>, ptr %v42, align 32
  %v370 = fcmp olt <8 x float> %v369, %v20
  %v371 = select <8 x i1> %v370, <8 x float> %v20, <8 x float> %v369
  %t28 = getelementptr inbounds float, ptr %p0, i32 %v365
  store <8 x float> %v371, ptr %t28, align 4
  %v373 = add nsw i32 %v86, 160
  %v377 = load <8 x float>, ptr %v44, align 32
  %v378 = fcmp olt <8 x float> %v377, %v20
  %v379 = select <8 x i1> %v378, <8 x float> %v20, <8 x float> %v377
  %t29 = getelementptr inbounds float, ptr %p0, i32 %v373
  store <8 x float> %v379, ptr %t29, align 4
  %v381 = add nsw i32 %v86, 192
  %v385 = load <8 x float>, ptr %v46, align 32
  %v386 = fcmp olt <8 x float> %v385, %v20
  %v387 = select <8 x i1> %v386, <8 x float> %v20, <8 x float> %v385
  %t30 = getelementptr inbounds float, ptr %p0, i32 %v381
  store <8 x float> %v387, ptr %t30, align 4
  %v389 = add nsw i32 %v86, 200
  %v393 = load <8 x float>, ptr %v49, align 32
  %v394 = fcmp olt <8 x float> %v393, %v20
  %v395 = select <8 x i1> %v394, <8 x float> %v20, <8 x float> %v393
  %t31 = getelementptr inbounds float, ptr %p0, i32 %v389
  store <8 x float> %v395, ptr %t31, align 4
  %v397 = add nsw i32 %v86, 208
  %v401 = load <8 x float>, ptr %v51, align 32
  %v402 = fcmp olt <8 x float> %v401, %v20
  %v403 = select <8 x i1> %v402, <8 x float> %v20, <8 x float> %v401
  %t32 = getelementptr inbounds float, ptr %p0, i32 %v397
  store <8 x float> %v403, ptr %t32, align 4
  %v405 = add nsw i32 %v86, 216
  %v409 = load <8 x float>, ptr %v53, align 32
  %v410 = fcmp olt <8 x float> %v409, %v20
  %v411 = select <8 x i1> %v410, <8 x float> %v20, <8 x float> %v409
  %t33 = getelementptr inbounds float, ptr %p0, i32 %v405
  store <8 x float> %v411, ptr %t33, align 4
  %v413 = add nsw i32 %v86, 248
  %v417 = load <8 x float>, ptr %v55, align 32
  %v418 = fcmp olt <8 x float> %v417, %v20
  %v419 = select <8 x i1> %v418, <8 x float> %v20, <8 x float> %v417
  %t34 = getelementptr inbounds float, ptr %p0, i32 %v413
  store <8 x float> %v419, ptr %t34, align 4
  %v421 = add nsw i32 %v86, 256
  %v425 = load <8 x float>, ptr %v58, align 32
  %v426 = fcmp olt <8 x float> %v425, %v20
  %v427 = select <8 x i1> %v426, <8 x float> %v20, <8 x float> %v425
  %t35 = getelementptr inbounds float, ptr %p0, i32 %v421
  store <8 x float> %v427, ptr %t35, align 4
  %v429 = add nsw i32 %v86, 264
  %v433 = load <8 x float>, ptr %v60, align 32
  %v434 = fcmp olt <8 x float> %v433, %v20
  %v435 = select <8 x i1> %v434, <8 x float> %v20, <8 x float> %v433
  %t36 = getelementptr inbounds float, ptr %p0, i32 %v429
  store <8 x float> %v435, ptr %t36, align 4
  %v437 = add nsw i32 %v86, 272
  %v441 = load <8 x float>, ptr %v62, align 32
  %v442 = fcmp olt <8 x float> %v441, %v20
  %v443 = select <8 x i1> %v442, <8 x float> %v20, <8 x float> %v441
  %t37 = getelementptr inbounds float, ptr %p0, i32 %v437
  store <8 x float> %v443, ptr %t37, align 4
  br label %L1.tail
L1.tail:
  %v80.next = add nsw i32 %v80, 1
  br label %L1, !llvm.loop !0
L1.end:
  br label %L0.tail
L0.tail:
  %v77.next = add nsw i32 %v77, 1
  br label %L0, !llvm.loop !0
L0.end:
  ret void
}
; == named
attributes #0 = { nounwind "no-builtins" }
!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.unroll.disable"}
!2 = !{i32 1}
declare void @llvm.prefetch.p0(ptr, i32, i32, i32)
define hidden void @r_40_48_24_e5fbc263(ptr %mem, ptr %args, i64 %task, ptr noalias %local) #0 {
begin:
  %p0.at = getelementptr i64, ptr %mem, i64 0
  %p0 = load ptr, ptr %p0.at, align 8
  %p2.at = getelementptr i64, ptr %mem, i64 2
  %p2 = load ptr, ptr %p2.at, align 8
  %p1.at = getelementptr i64, ptr %mem, i64 1
  %p1 = load ptr, ptr %p1.at, align 8
  br label %L0
L0:
  %v18 = phi i32 [ 0, %begin ], [ %v18.next, %L0.tail ]
  %t0 = icmp slt i32 %v18, 40
  br i1 %t0, label %L0.body, label %L0.end
L0.body:
  %v19 = mul nsw i32 %v18, 48
  %v20 = sub nsw i32 18, %v18
  %v21 = icmp slt i32 %v20, 0
  %v22 = select i1 %v21, i32 0, i32 %v20
  %v23 = sub nsw i32 39, %v22
  %t1 = getelementptr inbounds float, ptr %p1, i32 %v23
  %v25 = load float, ptr %t1, align 4
  %v26 = fmul float %v25, 0x4059000000000000
  %v27 = fcmp olt float %v26, 0xC1E0000000000000
  %v28 = xor i1 %v27, true
  %v29 = fcmp olt float %v26, 0x41E0000000000000
  %v30 = and i1 %v28, %v29
  %v31 = select i1 %v30, float %v26, float 0x0000000000000000
  %v32 = fptosi float %v31 to i32
  %v33 = fcmp olt float 0x0000000000000000, %v26
  %v34 = fcmp olt float %v26, 0x0000000000000000
  %v35 = select i1 %v34, i32 -2147483648, i32 0
  %v36 = select i1 %v33, i32 2147483647, i32 %v35
  %v37 = select i1 %v30, i32 %v32, i32 %v36
  %v38 = srem i32 %v37, 24
  %v39 = icmp slt i32 %v38, 0
  %v40 = select i1 %v39, i32 24, i32 0
  %v41 = add nsw i32 %v40, %v38
  %v42 = mul nsw i32 %v41, 48
  %t2 = getelementptr inbounds float, ptr %p1, i32 %v18
  %v44 = load float, ptr %t2, align 4
  %v45 = fmul float %v44, 0x4059000000000000
  %v46 = fcmp olt float %v45, 0xC1E0000000000000
  %v47 = xor i1 %v46, true
  %v48 = fcmp olt float %v45, 0x41E0000000000000
  %v49 = and i1 %v47, %v48
  %v50 = select i1 %v49, float %v45, float 0x0000000000000000
  %v51 = fptosi float %v50 to i32
  %v52 = fcmp olt float 0x0000000000000000, %v45
  %v53 = fcmp olt float %v45, 0x0000000000000000
  %v54 = select i1 %v53, i32 -2147483648, i32 0
  %v55 = select i1 %v52, i32 2147483647, i32 %v54
  %v56 = select i1 %v49, i32 %v51, i32 %v55
  %v57 = srem i32 %v56, 24
  %v58 = icmp slt i32 %v57, 0
  %v59 = select i1 %v58, i32 24, i32 0
  %v60 = add nsw i32 %v59, %v57
  %v61 = mul nsw i32 %v60, 48
  br label %L1
L1:
  %v62 = phi i32 [ 0, %L0.body ], [ %v62.next, %L1.tail ]
  %t3 = icmp slt i32 %v62, 6
  br i1 %t3, label %L1.body, label %L1.end
L1.body:
  %v63 = mul nsw i32 %v62, 8
  %v64 = add nsw i32 %v19, %v63
  %v66 = add nsw i32 %v42, %v63
  %t4 = getelementptr float, ptr %p2, i32 %v66
  call void @llvm.prefetch.p0(ptr %t4, i32 0, i32 2, i32 1)
  %v70 = add nsw i32 %v63, %v61
  %t5 = getelementptr inbounds float, ptr %p2, i32 %v70
  %v72 = load <8 x float>, ptr %t5, align 4
  %t6 = getelementptr inbounds float, ptr %p0, i32 %v64
  store <8 x float> %v72, ptr %t6, align 4
  br label %L1.tail
L1.tail:
  %v62.next = add nsw i32 %v62, 1
  br label %L1
L1.end:
  br label %L0.tail
L0.tail:
  %v18.next = add nsw i32 %v18, 1
  br label %L0
L0.end:
  ret void
}
; == turned
attributes #0 = { nounwind "no-builtins" }
!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.unroll.disable"}
!2 = !{i32 1}
define hidden void @E_48_32_4259e8aa(ptr %mem, ptr %args, i64 %task, ptr noalias %local) #0 {
begin:
  %p0.at = getelementptr i64, ptr %mem, i64 0
  %p0 = load ptr, ptr %p0.at, align 8
  %p1.at = getelementptr i64, ptr %mem, i64 1
  %p1 = load ptr, ptr %p1.at, align 8
  %v9 = alloca [1024 x float], align 64
  br label %L0
L0:
  %v23 = phi i32 [ 0, %begin ], [ %v23.next, %L0.tail ]
  %t0 = icmp slt i32 %v23, 2
  br i1 %t0, label %L0.body, label %L0.end
L0.body:
  %v24 = mul nsw i32 %v23, -32
  %v25 = add nsw i32 %v24, 16
  %v26 = icmp slt i32 %v25, 0
  %v27 = select i1 %v26, i32 0, i32 %v25
  %v28 = mul nsw i32 %v27, -32
  br label %L1
L1:
  %v29 = phi i32 [ 0, %L0.body ], [ %v29.next, %L1.tail ]
  %t1 = icmp slt i32 %v29, 4
  br i1 %t1, label %L1.body, label %L1.end
L1.body:
  %v30 = mul nsw i32 %v29, 256
  %v31 = mul nsw i32 %v29, 8
  %v32 = sub nsw i32 %v31, %v27
  br label %L2
L2:
  %v33 = phi i32 [ 0, %L1.body ], [ %v33.next, %L2.tail ]
  %t2 = icmp slt i32 %v33, 4
  br i1 %t2, label %L2.body, label %L2.end
L2.body:
  %v34 = mul nsw i32 %v33, 8
  %v35 = add nsw i32 %v34, %v30
  %v37 = mul nsw i32 %v33, 384
  %v38 = add nsw i32 %v32, %v37
  %v39 = add nsw i32 %v38, 16
  %t3 = getelementptr inbounds float, ptr %p1, i32 %v39
  %v41 = load <8 x float>, ptr %t3, align 4
  %v42 = extractelement <8 x float> %v41, i64 0
  %v43 = add nsw i32 %v38, 64
  %t4 = getelementptr inbounds float, ptr %p1, i32 %v43
  %v45 = load <8 x float>, ptr %t4, align 4
  %v46 = extractelement <8 x float> %v45, i64 0
  %v47 = extractelement <8 x float> %v41, i64 2
  %v48 = extractelement <8 x float> %v45, i64 2
  %v49 = extractelement <8 x float> %v41, i64 4
  %v50 = extractelement <8 x float> %v45, i64 4
  %v51 = extractelement <8 x float> %v41, i64 6
  %v52 = extractelement <8 x float> %v45, i64 6
  %v53 = shufflevector <8 x float> %v41, <8 x float> %v45, <8 x i32> <i32 0, i32 8, i32 2, i32 10, i32 4, i32 12, i32 6, i32 14>
  %v54 = extractelement <8 x float> %v53, i64 0
  %v55 = extractelement <8 x float> %v53, i64 1
  %v56 = add nsw i32 %v38, 112
  %t5 = getelementptr inbounds float, ptr %p1, i32 %v56
  %v58 = load <8 x float>, ptr %t5, align 4
  %v59 = extractelement <8 x float> %v58, i64 0
  %v60 = add nsw i32 %v38, 160
  %t6 = getelementptr inbounds float, ptr %p1, i32 %v60
  %v62 = load <8 x float>, ptr %t6, align 4
  %v63 = extractelement <8 x float> %v62, i64 0
  %v64 = extractelement <8 x float> %v58, i64 2
  %v65 = extractelement <8 x float> %v62, i64 2
  %v66 = extractelement <8 x float> %v58, i64 4
  %v67 = extractelement <8 x float> %v62, i64 4
  %v68 = extractelement <8 x float> %v58, i64 6
  %v69 = extractelement <8 x float> %v62, i64 6
  %v70 = shufflevector <8 x float> %v58, <8 x float> %v62, <8 x i32> <i32 0, i32 8, i32 2, i32 10, i32 4, i32 12, i32 6, i32 14>
  %v71 = extractelement <8 x float> %v70, i64 0
  %v72 = extractelement <8 x float> %v70, i64 1
  %v73 = extractelement <8 x float> %v53, i64 4
  %v74 = extractelement <8 x float> %v53, i64 5
  %v75 = extractelement <8 x float> %v70, i64 4
  %v76 = extractelement <8 x float> %v70, i64 5
  %v77 = shufflevector <8 x float> %v53, <8 x float> %v70, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %v78 = extractelement <8 x float> %v77, i64 0
  %v79 = extractelement <8 x float> %v77, i64 1
  %v80 = extractelement <8 x float> %v77, i64 2
  %v81 = extractelement <8 x float> %v77, i64 3
  %v82 = add nsw i32 %v38, 208
  %t7 = getelementptr inbounds float, ptr %p1, i32 %v82
  %v84 = load <8 x float>, ptr %t7, align 4
  %v85 = extractelement <8 x float> %v84, i64 0
  %v86 = add nsw i32 %v38, 256
  %t8 = getelementptr inbounds float, ptr %p1, i32 %v86
  %v88 = load <8 x float>, ptr %t8, align 4
  %v89 = extractelement <8 x float> %v88, i64 0
  %v90 = extractelement <8 x float> %v84, i64 2
  %v91 = extractelement <8 x float> %v88, i64 2
  %v92 = extractelement <8 x float> %v84, i64 4
  %v93 = extractelement <8 x float> %v88, i64 4
  %v94 = extractelement <8 x float> %v84, i64 6
  %v95 = extractelement <8 x float> %v88, i64 6
  %v96 = shufflevector <8 x float> %v84, <8 x float> %v88, <8 x i32> <i32 0, i32 8, i32 2, i32 10, i32 4, i32 12, i32 6, i32 14>
  %v97 = extractelement <8 x float> %v96, i64 0
  %v98 = extractelement <8 x float> %v96, i64 1
  %v99 = add nsw i32 %v38, 304
  %t9 = getelementptr inbounds float, ptr %p1, i32 %v99
  %v101 = load <8 x float>, ptr %t9, align 4
  %v102 = extractelement <8 x float> %v101, i64 0
  %v103 = add nsw i32 %v38, 352
  %t10 = getelementptr inbounds float, ptr %p1, i32 %v103
  %v105 = load <8 x float>, ptr %t10, align 4
  %v106 = extractelement <8 x float> %v105, i64 0
  %v107 = extractelement <8 x float> %v101, i64 2
  %v108 = extractelement <8 x float> %v105, i64 2
  %v109 = extractelement <8 x float> %v101, i64 4
  %v110 = extractelement <8 x float> %v105, i64 4
  %v111 = extractelement <8 x float> %v101, i64 6
  %v112 = extractelement <8 x float> %v105, i64 6
  %v113 = shufflevector <8 x float> %v101, <8 x float> %v105, <8 x i32> <i32 0, i32 8, i32 2, i32 10, i32 4, i32 12, i32 6, i32 14>
  %v114 = extractelement <8 x float> %v113, i64 0
  %v115 = extractelement <8 x float> %v113, i64 1
  %v116 = extractelement <8 x float> %v96, i64 4
  %v117 = extractelement <8 x float> %v96, i64 5
  %v118 = extractelement <8 x float> %v113, i64 4
  %v119 = extractelement <8 x float> %v113, i64 5
  %v120 = shufflevector <8 x float> %v96, <8 x float> %v113, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %v121 = extractelement <8 x float> %v120, i64 0
  %v122 = extractelement <8 x float> %v120, i64 1
  %v123 = extractelement <8 x float> %v120, i64 2
  %v124 = extractelement <8 x float> %v120, i64 3
  %v125 = shufflevector <8 x float> %v77, <8 x float> %v120, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %t11 = getelementptr inbounds float, ptr %v9, i32 %v35
  store <8 x float> %v125, ptr %t11, align 4
  %v127 = add nsw i32 %v35, 32
  %v129 = extractelement <8 x float> %v41, i64 1
  %v130 = extractelement <8 x float> %v45, i64 1
  %v131 = extractelement <8 x float> %v41, i64 3
  %v132 = extractelement <8 x float> %v45, i64 3
  %v133 = extractelement <8 x float> %v41, i64 5
  %v134 = extractelement <8 x float> %v45, i64 5
  %v135 = extractelement <8 x float> %v41, i64 7
  %v136 = extractelement <8 x float> %v45, i64 7
  %v137 = shufflevector <8 x float> %v41, <8 x float> %v45, <8 x i32> <i32 1, i32 9, i32 3, i32 11, i32 5, i32 13, i32 7, i32 15>
  %v138 = extractelement <8 x float> %v137, i64 0
  %v139 = extractelement <8 x float> %v137, i64 1
  %v140 = extractelement <8 x float> %v58, i64 1
  %v141 = extractelement <8 x float> %v62, i64 1
  %v142 = extractelement <8 x float> %v58, i64 3
  %v143 = extractelement <8 x float> %v62, i64 3
  %v144 = extractelement <8 x float> %v58, i64 5
  %v145 = extractelement <8 x float> %v62, i64 5
  %v146 = extractelement <8 x float> %v58, i64 7
  %v147 = extractelement <8 x float> %v62, i64 7
  %v148 = shufflevector <8 x float> %v58, <8 x float> %v62, <8 x i32> <i32 1, i32 9, i32 3, i32 11, i32 5, i32 13, i32 7, i32 15>
  %v149 = extractelement <8 x float> %v148, i64 0
  %v150 = extractelement <8 x float> %v148, i64 1
  %v151 = extractelement <8 x float> %v137, i64 4
  %v152 = extractelement <8 x float> %v137, i64 5
  %v153 = extractelement <8 x float> %v148, i64 4
  %v154 = extractelement <8 x float> %v148, i64 5
  %v155 = shufflevector <8 x float> %v137, <8 x float> %v148, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %v156 = extractelement <8 x float> %v155, i64 0
  %v157 = extractelement <8 x float> %v155, i64 1
  %v158 = extractelement <8 x float> %v155, i64 2
  %v159 = extractelement <8 x float> %v155, i64 3
  %v160 = extractelement <8 x float> %v84, i64 1
  %v161 = extractelement <8 x float> %v88, i64 1
  %v162 = extractelement <8 x float> %v84, i64 3
  %v163 = extractelement <8 x float> %v88, i64 3
  %v164 = extractelement <8 x float> %v84, i64 5
  %v165 = extractelement <8 x float> %v88, i64 5
  %v166 = extractelement <8 x float> %v84, i64 7
  %v167 = extractelement <8 x float> %v88, i64 7
  %v168 = shufflevector <8 x float> %v84, <8 x float> %v88, <8 x i32> <i32 1, i32 9, i32 3, i32 11, i32 5, i32 13, i32 7, i32 15>
  %v169 = extractelement <8 x float> %v168, i64 0
  %v170 = extractelement <8 x float> %v168, i64 1
  %v171 = extractelement <8 x float> %v101, i64 1
  %v172 = extractelement <8 x float> %v105, i64 1
  %v173 = extractelement <8 x float> %v101, i64 3
  %v174 = extractelement <8 x float> %v105, i64 3
  %v175 = extractelement <8 x float> %v101, i64 5
  %v176 = extractelement <8 x float> %v105, i64 5
  %v177 = extractelement <8 x float> %v101, i64 7
  %v178 = extractelement <8 x float> %v105, i64 7
  %v179 = shufflevector <8 x float> %v101, <8 x float> %v105, <8 x i32> <i32 1, i32 9, i32 3, i32 11, i32 5, i32 13, i32 7, i32 15>
  %v180 = extractelement <8 x float> %v179, i64 0
  %v181 = extractelement <8 x float> %v179, i64 1
  %v182 = extractelement <8 x float> %v168, i64 4
  %v183 = extractelement <8 x float> %v168, i64 5
  %v184 = extractelement <8 x float> %v179, i64 4
  %v185 = extractelement <8 x float> %v179, i64 5
  %v186 = shufflevector <8 x float> %v168, <8 x float> %v179, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %v187 = extractelement <8 x float> %v186, i64 0
  %v188 = extractelement <8 x float> %v186, i64 1
  %v189 = extractelement <8 x float> %v186, i64 2
  %v190 = extractelement <8 x float> %v186, i64 3
  %v191 = shufflevector <8 x float> %v155, <8 x float> %v186, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %t12 = getelementptr inbounds float, ptr %v9, i32 %v127
  store <8 x float> %v191, ptr %t12, align 4
  %v193 = add nsw i32 %v35, 64
  %v195 = extractelement <8 x float> %v53, i64 2
  %v196 = extractelement <8 x float> %v53, i64 3
  %v197 = extractelement <8 x float> %v70, i64 2
  %v198 = extractelement <8 x float> %v70, i64 3
  %v199 = extractelement <8 x float> %v53, i64 6
  %v200 = extractelement <8 x float> %v53, i64 7
  %v201 = extractelement <8 x float> %v70, i64 6
  %v202 = extractelement <8 x float> %v70, i64 7
  %v203 = shufflevector <8 x float> %v53, <8 x float> %v70, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %v204 = extractelement <8 x float> %v203, i64 0
  %v205 = extractelement <8 x float> %v203, i64 1
  %v206 = extractelement <8 x float> %v203, i64 2
  %v207 = extractelement <8 x float> %v203, i64 3
  %v208 = extractelement <8 x float> %v96, i64 2
  %v209 = extractelement <8 x float> %v96, i64 3
  %v210 = extractelement <8 x float> %v113, i64 2
  %v211 = extractelement <8 x float> %v113, i64 3
  %v212 = extractelement <8 x float> %v96, i64 6
  %v213 = extractelement <8 x float> %v96, i64 7
  %v214 = extractelement <8 x float> %v113, i64 6
  %v215 = extractelement <8 x float> %v113, i64 7
  %v216 = shufflevector <8 x float> %v96, <8 x float> %v113, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %v217 = extractelement <8 x float> %v216, i64 0
  %v218 = extractelement <8 x float> %v216, i64 1
  %v219 = extractelement <8 x float> %v216, i64 2
  %v220 = extractelement <8 x float> %v216, i64 3
  %v221 = shufflevector <8 x float> %v203, <8 x float> %v216, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %t13 = getelementptr inbounds float, ptr %v9, i32 %v193
  store <8 x float> %v221, ptr %t13, align 4
  %v223 = add nsw i32 %v35, 96
  %v225 = extractelement <8 x float> %v137, i64 2
  %v226 = extractelement <8 x float> %v137, i64 3
  %v227 = extractelement <8 x float> %v148, i64 2
  %v228 = extractelement <8 x float> %v148, i64 3
  %v229 = extractelement <8 x float> %v137, i64 6
  %v230 = extractelement <8 x float> %v137, i64 7
  %v231 = extractelement <8 x float> %v148, i64 6
  %v232 = extractelement <8 x float> %v148, i64 7
  %v233 = shufflevector <8 x float> %v137, <8 x float> %v148, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %v234 = extractelement <8 x float> %v233, i64 0
  %v235 = extractelement <8 x float> %v233, i64 1
  %v236 = extractelement <8 x float> %v233, i64 2
  %v237 = extractelement <8 x float> %v233, i64 3
  %v238 = extractelement <8 x float> %v168, i64 2
  %v239 = extractelement <8 x float> %v168, i64 3
  %v240 = extractelement <8 x float> %v179, i64 2
  %v241 = extractelement <8 x float> %v179, i64 3
  %v242 = extractelement <8 x float> %v168, i64 6
  %v243 = extractelement <8 x float> %v168, i64 7
  %v244 = extractelement <8 x float> %v179, i64 6
  %v245 = extractelement <8 x float> %v179, i64 7
  %v246 = shufflevector <8 x float> %v168, <8 x float> %v179, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %v247 = extractelement <8 x float> %v246, i64 0
  %v248 = extractelement <8 x float> %v246, i64 1
  %v249 = extractelement <8 x float> %v246, i64 2
  %v250 = extractelement <8 x float> %v246, i64 3
  %v251 = shufflevector <8 x float> %v233, <8 x float> %v246, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %t14 = getelementptr inbounds float, ptr %v9, i32 %v223
  store <8 x float> %v251, ptr %t14, align 4
  %v253 = add nsw i32 %v35, 128
  %v255 = extractelement <8 x float> %v77, i64 4
  %v256 = extractelement <8 x float> %v77, i64 5
  %v257 = extractelement <8 x float> %v77, i64 6
  %v258 = extractelement <8 x float> %v77, i64 7
  %v259 = extractelement <8 x float> %v120, i64 4
  %v260 = extractelement <8 x float> %v120, i64 5
  %v261 = extractelement <8 x float> %v120, i64 6
  %v262 = extractelement <8 x float> %v120, i64 7
  %v263 = shufflevector <8 x float> %v77, <8 x float> %v120, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %t15 = getelementptr inbounds float, ptr %v9, i32 %v253
  store <8 x float> %v263, ptr %t15, align 4
  %v265 = add nsw i32 %v35, 160
  %v267 = extractelement <8 x float> %v155, i64 4
  %v268 = extractelement <8 x float> %v155, i64 5
  %v269 = extractelement <8 x float> %v155, i64 6
  %v270 = extractelement <8 x float> %v155, i64 7
  %v271 = extractelement <8 x float> %v186, i64 4
  %v272 = extractelement <8 x float> %v186, i64 5
  %v273 = extractelement <8 x float> %v186, i64 6
  %v274 = extractelement <8 x float> %v186, i64 7
  %v275 = shufflevector <8 x float> %v155, <8 x float> %v186, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %t16 = getelementptr inbounds float, ptr %v9, i32 %v265
  store <8 x float> %v275, ptr %t16, align 4
  %v277 = add nsw i32 %v35, 192
  %v279 = extractelement <8 x float> %v203, i64 4
  %v280 = extractelement <8 x float> %v203, i64 5
  %v281 = extractelement <8 x float> %v203, i64 6
  %v282 = extractelement <8 x float> %v203, i64 7
  %v283 = extractelement <8 x float> %v216, i64 4
  %v284 = extractelement <8 x float> %v216, i64 5
  %v285 = extractelement <8 x float> %v216, i64 6
  %v286 = extractelement <8 x float> %v216, i64 7
  %v287 = shufflevector <8 x float> %v203, <8 x float> %v216, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %t17 = getelementptr inbounds float, ptr %v9, i32 %v277
  store <8 x float> %v287, ptr %t17, align 4
  %v289 = add nsw i32 %v35, 224
  %v291 = extractelement <8 x float> %v233, i64 4
  %v292 = extractelement <8 x float> %v233, i64 5
  %v293 = extractelement <8 x float> %v233, i64 6
  %v294 = extractelement <8 x float> %v233, i64 7
  %v295 = extractelement <8 x float> %v246, i64 4
  %v296 = extractelement <8 x float> %v246, i64 5
  %v297 = extractelement <8 x float> %v246, i64 6
  %v298 = extractelement <8 x float> %v246, i64 7
  %v299 = shufflevector <8 x float> %v233, <8 x float> %v246, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %t18 = getelementptr inbounds float, ptr %v9, i32 %v289
  store <8 x float> %v299, ptr %t18, align 4
  br label %L2.tail
L2.tail:
  %v33.next = add nsw i32 %v33, 1
  br label %L2
L2.end:
  br label %L1.tail
L1.tail:
  %v29.next = add nsw i32 %v29, 1
  br label %L1
L1.end:
  br label %L3
L3:
  %v305 = phi i32 [ 0, %L1.end ], [ %v305.next, %L3.tail ]
  %t19 = icmp slt i32 %v305, 32
  br i1 %t19, label %L3.body, label %L3.end
L3.body:
  %v306 = mul nsw i32 %v305, 32
  %v307 = add nsw i32 %v28, %v306
  br label %L4
L4:
  %v308 = phi i32 [ 0, %L3.body ], [ %v308.next, %L4.tail ]
  %t20 = icmp slt i32 %v308, 4
  br i1 %t20, label %L4.body, label %L4.end
L4.body:
  %v309 = mul nsw i32 %v308, 8
  %v310 = add nsw i32 %v309, %v307
  %v311 = add nsw i32 %v310, 512
  %v313 = add nsw i32 %v309, %v306
  %t21 = getelementptr inbounds float, ptr %v9, i32 %v313
  %v315 = load <8 x float>, ptr %t21, align 4
  %t22 = getelementptr inbounds float, ptr %p0, i32 %v311
  store <8 x float> %v315, ptr %t22, align 4
  br label %L4.tail
L4.tail:
  %v308.next = add nsw i32 %v308, 1
  br label %L4
L4.end:
  br label %L3.tail
L3.tail:
  %v305.next = add nsw i32 %v305, 1
  br label %L3
L3.end:
  br label %L0.tail
L0.tail:
  %v23.next = add nsw i32 %v23, 1
  br label %L0
L0.end:
  ret void
}
; == running
attributes #0 = { nounwind "no-builtins" }
!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.unroll.disable"}
!2 = !{i32 1}
define hidden void @r_3_40_40_21e31273(ptr %mem, ptr %args, i64 %task, ptr noalias %local) #0 {
begin:
  %p0.at = getelementptr i64, ptr %mem, i64 0
  %p0 = load ptr, ptr %p0.at, align 8
  %p1.at = getelementptr i64, ptr %mem, i64 1
  %p1 = load ptr, ptr %p1.at, align 8
  %v2 = alloca float, align 4
  %v8 = alloca float, align 4
  %v12 = alloca float, align 4
  store float 0x0000000000000000, ptr %v2, align 4
  store float 0x0000000000000000, ptr %v8, align 4
  store float 0x0000000000000000, ptr %v12, align 4
  br label %L0
L0:
  %v15 = phi i32 [ 0, %begin ], [ %v15.next, %L0.tail ]
  %t0 = icmp slt i32 %v15, 40
  br i1 %t0, label %L0.body, label %L0.end
L0.body:
  %v19 = load float, ptr %v2, align 4
  %t1 = getelementptr inbounds float, ptr %p1, i32 %v15
  %v21 = load float, ptr %t1, align 4
  %v22 = fadd float %v19, %v21
  %t2 = getelementptr inbounds float, ptr %p0, i32 %v15
  store float %v22, ptr %t2, align 4
  %v24 = add nsw i32 %v15, 40
  %t3 = getelementptr inbounds float, ptr %p1, i32 %v24
  %v27 = load float, ptr %t3, align 4
  %v30 = load float, ptr %v8, align 4
  %v31 = fadd float %v27, %v30
  %t4 = getelementptr inbounds float, ptr %p0, i32 %v24
  store float %v31, ptr %t4, align 4
  %v33 = add nsw i32 %v15, 80
  %t5 = getelementptr inbounds float, ptr %p1, i32 %v33
  %v36 = load float, ptr %t5, align 4
  %v39 = load float, ptr %v12, align 4
  %v40 = fadd float %v36, %v39
  %t6 = getelementptr inbounds float, ptr %p0, i32 %v33
  store float %v40, ptr %t6, align 4
  store float %v22, ptr %v2, align 4
  store float %v31, ptr %v8, align 4
  store float %v40, ptr %v12, align 4
  br label %L0.tail
L0.tail:
  %v15.next = add nsw i32 %v15, 1
  br label %L0
L0.end:
  ret void
}
; == streamed
attributes #0 = { nounwind "no-builtins" }
!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.unroll.disable"}
!2 = !{i32 1}
define hidden void @E_1024_8192_44a8b318(ptr %mem, ptr %args, i64 %task, ptr noalias %local) #0 {
begin:
  %p0.at = getelementptr i64, ptr %mem, i64 0
  %p0 = load ptr, ptr %p0.at, align 8
  %p1.at = getelementptr i64, ptr %mem, i64 1
  %p1 = load ptr, ptr %p1.at, align 8
  %v4 = trunc i64 %task to i32
  %v6 = mul nsw i32 %v4, 131072
  br label %L0
L0:
  %v10 = phi i32 [ 0, %begin ], [ %v10.next, %L0.tail ]
  %t0 = icmp slt i32 %v10, 16
  br i1 %t0, label %L0.body, label %L0.end
L0.body:
  %v11 = mul nsw i32 %v10, 8192
  br label %L1
L1:
  %v12 = phi i32 [ 0, %L0.body ], [ %v12.next, %L1.tail ]
  %t1 = icmp slt i32 %v12, 1024
  br i1 %t1, label %L1.body, label %L1.end, !prof !{!"branch_weights", i32 1023, i32 1}
L1.body:
  %v13 = mul nsw i32 %v12, 8
  %v14 = add nsw i32 %v6, %v13
  %v15 = add nsw i32 %v11, %v14
  %t2 = getelementptr inbounds float, ptr %p1, i32 %v13
  %v18 = load <8 x float>, ptr %t2, align 4
  %t3 = getelementptr inbounds float, ptr %p0, i32 %v15
  %t4 = ptrtoint ptr %t3 to i64
  %t5 = and i64 %t4, 31
  %t6 = icmp ne i64 %t5, 0
  br i1 %t6, label %L2, label %L3
L2:
  store <8 x float> %v18, ptr %t3, align 4
  br label %L4
L3:
  store <8 x float> %v18, ptr %t3, align 32, !nontemporal !2
  br label %L4
L4:
  br label %L1.tail
L1.tail:
  %v12.next = add nsw i32 %v12, 1
  br label %L1
L1.end:
  br label %L0.tail
L0.tail:
  %v10.next = add nsw i32 %v10, 1
  br label %L0
L0.end:
  ret void
}
