// api_calls: a call of every public function. Written by tools/api_calls.py from src/api/; not edited by hand.
// Not here: tiny_open, which makes the context.
// Not here: tiny_close, which ends it.
// Not here: tiny_finish, which ends it.
// Not here: tiny_fail, which is an error.
// Not here: tiny_parallel, which calls back.
// Not here: tiny_realloc, which wants memory of its own.
// Not here: tiny_log_line, which takes no tensor.
// Not here: tiny_bytes_add, which wants a backend's bytes.
// Not here: tiny_archive_close, which ends what others use.
// Not here: tiny_loader_close, which ends what others use.
// Not here: tiny_load_csv_from, which reads as many bytes as it is told.
// Not here: tiny_sequential, which reads as many stages as it is told.
// Not here: tiny_sequential_params, which reads as many stages as it is told.
// Not here: tiny_sequential_free, which reads as many stages as it is told.
// Not here: tiny_program_digest, which takes bytes.
// Not here: tiny_program_free, which ends what others use.
// Not here: tiny_program_call, which reads as many addresses as the program takes.
// Not here: tiny_program_input, which takes no tensor.
// Not here: tiny_program_output, which takes no tensor.
// Not here: tiny_uop_print, which takes nodes, which belong to no tensor.
// Not here: tiny_uop_simplify, which takes nodes.
// Not here: tiny_uop_eval, which takes nodes.
// Not here: tiny_uop_new, which takes nodes.
// Not here: tiny_version, which takes nothing.
// Not here: tiny_now_ns, which takes nothing.
// Not here: tiny_build_options, which takes nothing.
// Not here: tiny_profile_rows, which calls back.
// Not here: tiny_program_call_for, which reads as many addresses as the program takes.
// Not here: tiny_cancel, which is for what runs meanwhile.
// Not here: tiny_trace_begin, which writes what all others do.
// Not here: tiny_trace_end, which ends what is not begun.
// Not here: tiny_profile_end, which ends what others use.
static void call_tiny_code_name(world *w) {
  (void)w;
  give_pointer(w, tiny_code_name((tiny_code)N(0, 0)));
}
static void call_tiny_dtype_nbytes(world *w) {
  (void)w;
  (void)tiny_dtype_nbytes((tiny_dtype)N(0, TINY_F32));
}
static void call_tiny_dtype_name(world *w) {
  (void)w;
  give_pointer(w, tiny_dtype_name((tiny_dtype)N(0, TINY_F32)));
}
static void call_tiny_promote(world *w) {
  (void)w;
  (void)tiny_promote((tiny_dtype)N(0, TINY_F32), (tiny_dtype)N(1, TINY_F32));
}
static void call_tiny_error(world *w) {
  (void)w;
  give_pointer(w, tiny_error(w->t));
}
static void call_tiny_status(world *w) {
  (void)w;
  give_code(w, tiny_status(w->t));
}
static void call_tiny_clear(world *w) {
  (void)w;
  tiny_clear(w->t);
}
static void call_tiny_begin(world *w) {
  (void)w;
  tiny_begin(w->t);
}
static void call_tiny_end(world *w) {
  (void)w;
  give_code(w, tiny_end(w->t));
}
static void call_tiny_keep(world *w) {
  (void)w;
  give_tensor(w, tiny_keep(H(0)));
}
static void call_tiny_free(world *w) {
  (void)w;
  tiny_free(H(0));
}
static void call_tiny_stats_of(world *w) {
  (void)w;
  (void)tiny_stats_of(w->t);
}
static void call_tiny_from(world *w) {
  (void)w;
  give_tensor(w, tiny_from(w->t, w->bytes, (tiny_dtype)N(0, TINY_F32), the_shape(w, 3)));
}
static void call_tiny_blob(world *w) {
  (void)w;
  give_tensor(w, tiny_blob(w->t, w->bytes, (tiny_dtype)N(0, TINY_F32), the_shape(w, 3), w->longs));
}
static void call_tiny_blob_of(world *w) {
  (void)w;
  give_tensor(w, tiny_blob_of(w->t, w->bytes, (tiny_dtype)N(0, TINY_F32), the_shape(w, 3)));
}
static void call_tiny_scalar(world *w) {
  (void)w;
  give_tensor(w, tiny_scalar(w->t, D(0, 0.5), (tiny_dtype)N(0, TINY_F32)));
}
static void call_tiny_length(world *w) {
  (void)w;
  give_tensor(w, tiny_length(w->t, N(0, 1), N(1, 1), N(2, 1)));
}
static void call_tiny_read(world *w) {
  (void)w;
  give_code(w, tiny_read(H(0), w->bytes, (size_t)N(0, 1)));
}
static void call_tiny_write(world *w) {
  (void)w;
  give_code(w, tiny_write(H(0), w->bytes, (size_t)N(0, 1)));
}
static void call_tiny_realize(world *w) {
  (void)w;
  give_code(w, tiny_realize(L(0), C(0)));
}
static void call_tiny_reference(world *w) {
  (void)w;
  give_code(w, tiny_reference(H(0), w->bytes, (size_t)N(0, 1)));
}
static void call_tiny_item(world *w) {
  (void)w;
  (void)tiny_item(H(0));
}
static void call_tiny_item_i64(world *w) {
  (void)w;
  (void)tiny_item_i64(H(0));
}
static void call_tiny_shape_of(world *w) {
  (void)w;
  (void)tiny_shape_of(H(0));
}
static void call_tiny_shape_now(world *w) {
  (void)w;
  (void)tiny_shape_now(H(0));
}
static void call_tiny_dtype_of(world *w) {
  (void)w;
  (void)tiny_dtype_of(H(0));
}
static void call_tiny_nelem_of(world *w) {
  (void)w;
  (void)tiny_nelem_of(H(0));
}
static void call_tiny_ok(world *w) {
  (void)w;
  give_number(w, tiny_ok(H(0)));
}
static void call_tiny_ctx_of(world *w) {
  (void)w;
  give_pointer(w, tiny_ctx_of(H(0)));
}
static void call_tiny_assign(world *w) {
  (void)w;
  give_tensor(w, tiny_assign(H(0), H(1)));
}
static void call_tiny_clone(world *w) {
  (void)w;
  give_tensor(w, tiny_clone(H(0)));
}
static void call_tiny_contiguous(world *w) {
  (void)w;
  give_tensor(w, tiny_contiguous(H(0)));
}
static void call_tiny_detach(world *w) {
  (void)w;
  give_tensor(w, tiny_detach(H(0)));
}
static void call_tiny_cast(world *w) {
  (void)w;
  give_tensor(w, tiny_cast(H(0), (tiny_dtype)N(0, TINY_F32)));
}
static void call_tiny_bitcast(world *w) {
  (void)w;
  give_tensor(w, tiny_bitcast(H(0), (tiny_dtype)N(0, TINY_F32)));
}
static void call_tiny_device_count(world *w) {
  (void)w;
  give_number(w, tiny_device_count(w->t));
}
static void call_tiny_device_name(world *w) {
  (void)w;
  give_pointer(w, tiny_device_name(w->t, (int)N(0, 1)));
}
static void call_tiny_device_handle(world *w) {
  (void)w;
  give_pointer(w, tiny_device_handle(w->t, (int)N(0, 1)));
}
static void call_tiny_device_stats(world *w) {
  (void)w;
  (void)tiny_device_stats(w->t, (int)N(0, 1));
}
static void call_tiny_use_device(world *w) {
  (void)w;
  give_number(w, tiny_use_device(w->t, (int)N(0, 1)));
}
static void call_tiny_sync(world *w) {
  (void)w;
  give_code(w, tiny_sync(w->t));
}
static void call_tiny_to(world *w) {
  (void)w;
  give_tensor(w, tiny_to(H(0), (int)N(0, 1)));
}
static void call_tiny_device_of(world *w) {
  (void)w;
  give_number(w, tiny_device_of(H(0)));
}
static void call_tiny_shard(world *w) {
  (void)w;
  give_tensor(w, tiny_shard(H(0), (int)N(0, 0), w->ints, C(1)));
}
static void call_tiny_replicate(world *w) {
  (void)w;
  give_tensor(w, tiny_replicate(H(0), w->ints, C(0)));
}
static void call_tiny_shard_part(world *w) {
  (void)w;
  give_tensor(w, tiny_shard_part(H(0), (int)N(0, 1)));
}
static void call_tiny_shard_count(world *w) {
  (void)w;
  give_number(w, tiny_shard_count(H(0)));
}
static void call_tiny_shard_axis(world *w) {
  (void)w;
  give_number(w, tiny_shard_axis(H(0)));
}
static void call_tiny_full(world *w) {
  (void)w;
  give_tensor(w, tiny_full(w->t, D(0, 0.5), (tiny_dtype)N(0, TINY_F32), the_shape(w, 3)));
}
static void call_tiny_zeros(world *w) {
  (void)w;
  give_tensor(w, tiny_zeros(w->t, (tiny_dtype)N(0, TINY_F32), the_shape(w, 2)));
}
static void call_tiny_ones(world *w) {
  (void)w;
  give_tensor(w, tiny_ones(w->t, (tiny_dtype)N(0, TINY_F32), the_shape(w, 2)));
}
static void call_tiny_full_like(world *w) {
  (void)w;
  give_tensor(w, tiny_full_like(H(0), D(0, 0.5)));
}
static void call_tiny_zeros_like(world *w) {
  (void)w;
  give_tensor(w, tiny_zeros_like(H(0)));
}
static void call_tiny_ones_like(world *w) {
  (void)w;
  give_tensor(w, tiny_ones_like(H(0)));
}
static void call_tiny_like(world *w) {
  (void)w;
  give_tensor(w, tiny_like(H(0), D(0, 0.5)));
}
static void call_tiny_arange(world *w) {
  (void)w;
  give_tensor(w, tiny_arange(w->t, D(0, 0.5), D(1, 0.5), D(2, 0.5), (tiny_dtype)N(0, TINY_F32)));
}
static void call_tiny_linspace(world *w) {
  (void)w;
  give_tensor(w, tiny_linspace(w->t, D(0, 0.5), D(1, 0.5), N(0, 2), (tiny_dtype)N(1, TINY_F32)));
}
static void call_tiny_logspace(world *w) {
  (void)w;
  give_tensor(w, tiny_logspace(w->t, D(0, 0.5), D(1, 0.5), N(0, 2), D(2, 0.5), (tiny_dtype)N(1, TINY_F32)));
}
static void call_tiny_eye(world *w) {
  (void)w;
  give_tensor(w, tiny_eye(w->t, N(0, 2), (tiny_dtype)N(1, TINY_F32)));
}
static void call_tiny_eye_nm(world *w) {
  (void)w;
  give_tensor(w, tiny_eye_nm(w->t, N(0, 2), N(1, 2), N(2, 1), (tiny_dtype)N(3, TINY_F32)));
}
static void call_tiny_tri(world *w) {
  (void)w;
  give_tensor(w, tiny_tri(w->t, N(0, 2), N(1, 2), N(2, 1), (tiny_dtype)N(3, TINY_F32)));
}
static void call_tiny_tril(world *w) {
  (void)w;
  give_tensor(w, tiny_tril(H(0), N(0, 1)));
}
static void call_tiny_triu(world *w) {
  (void)w;
  give_tensor(w, tiny_triu(H(0), N(0, 1)));
}
static void call_tiny_seed(world *w) {
  (void)w;
  tiny_seed(w->t, (uint64_t)N(0, 1));
}
static void call_tiny_rand(world *w) {
  (void)w;
  give_tensor(w, tiny_rand(w->t, the_shape(w, 1)));
}
static void call_tiny_randn(world *w) {
  (void)w;
  give_tensor(w, tiny_randn(w->t, the_shape(w, 1)));
}
static void call_tiny_rand_like(world *w) {
  (void)w;
  give_tensor(w, tiny_rand_like(H(0)));
}
static void call_tiny_randn_like(world *w) {
  (void)w;
  give_tensor(w, tiny_randn_like(H(0)));
}
static void call_tiny_uniform(world *w) {
  (void)w;
  give_tensor(w, tiny_uniform(w->t, D(0, 0.5), D(1, 0.5), (tiny_dtype)N(0, TINY_F32), the_shape(w, 4)));
}
static void call_tiny_normal(world *w) {
  (void)w;
  give_tensor(w, tiny_normal(w->t, D(0, 0.5), D(1, 0.5), (tiny_dtype)N(0, TINY_F32), the_shape(w, 4)));
}
static void call_tiny_randint(world *w) {
  (void)w;
  give_tensor(w, tiny_randint(w->t, N(0, 1), N(1, 1), (tiny_dtype)N(2, TINY_F32), the_shape(w, 4)));
}
static void call_tiny_randperm(world *w) {
  (void)w;
  give_tensor(w, tiny_randperm(w->t, N(0, 2)));
}
static void call_tiny_bernoulli(world *w) {
  (void)w;
  give_tensor(w, tiny_bernoulli(H(0)));
}
static void call_tiny_multinomial(world *w) {
  (void)w;
  give_tensor(w, tiny_multinomial(H(0), N(0, 2), (int)N(1, 1)));
}
static void call_tiny_xavier_uniform(world *w) {
  (void)w;
  give_tensor(w, tiny_xavier_uniform(w->t, the_shape(w, 1)));
}
static void call_tiny_xavier_normal(world *w) {
  (void)w;
  give_tensor(w, tiny_xavier_normal(w->t, the_shape(w, 1)));
}
static void call_tiny_kaiming_uniform(world *w) {
  (void)w;
  give_tensor(w, tiny_kaiming_uniform(w->t, D(0, 0.5), the_shape(w, 2)));
}
static void call_tiny_kaiming_normal(world *w) {
  (void)w;
  give_tensor(w, tiny_kaiming_normal(w->t, D(0, 0.5), the_shape(w, 2)));
}
static void call_tiny_dropout(world *w) {
  (void)w;
  give_tensor(w, tiny_dropout(H(0), D(0, 0.5), (int)N(0, 1)));
}
static void call_tiny_reshape(world *w) {
  (void)w;
  give_tensor(w, tiny_reshape(H(0), the_shape(w, 1)));
}
static void call_tiny_flatten(world *w) {
  (void)w;
  give_tensor(w, tiny_flatten(H(0), (int)N(0, 1), (int)N(1, 1)));
}
static void call_tiny_unflatten(world *w) {
  (void)w;
  give_tensor(w, tiny_unflatten(H(0), (int)N(0, 0), the_shape(w, 2)));
}
static void call_tiny_squeeze(world *w) {
  (void)w;
  give_tensor(w, tiny_squeeze(H(0), (int)N(0, 0)));
}
static void call_tiny_unsqueeze(world *w) {
  (void)w;
  give_tensor(w, tiny_unsqueeze(H(0), (int)N(0, 0)));
}
static void call_tiny_permute(world *w) {
  (void)w;
  give_tensor(w, tiny_permute(H(0), the_shape(w, 1)));
}
static void call_tiny_transpose(world *w) {
  (void)w;
  give_tensor(w, tiny_transpose(H(0), (int)N(0, 1), (int)N(1, 1)));
}
static void call_tiny_movedim(world *w) {
  (void)w;
  give_tensor(w, tiny_movedim(H(0), (int)N(0, 1), (int)N(1, 1)));
}
static void call_tiny_expand(world *w) {
  (void)w;
  give_tensor(w, tiny_expand(H(0), the_shape(w, 1)));
}
static void call_tiny_expand_as(world *w) {
  (void)w;
  give_tensor(w, tiny_expand_as(H(0), H(1)));
}
static void call_tiny_tile(world *w) {
  (void)w;
  give_tensor(w, tiny_tile(H(0), the_shape(w, 1)));
}
static void call_tiny_repeat(world *w) {
  (void)w;
  give_tensor(w, tiny_repeat(H(0), the_shape(w, 1)));
}
static void call_tiny_repeat_interleave(world *w) {
  (void)w;
  give_tensor(w, tiny_repeat_interleave(H(0), N(0, 1), (int)N(1, 0)));
}
static void call_tiny_flip(world *w) {
  (void)w;
  give_tensor(w, tiny_flip(H(0), the_shape(w, 1)));
}
static void call_tiny_roll(world *w) {
  (void)w;
  give_tensor(w, tiny_roll(H(0), the_shape(w, 1), the_shape(w, 2)));
}
static void call_tiny_rot90(world *w) {
  (void)w;
  give_tensor(w, tiny_rot90(H(0), (int)N(0, 1), (int)N(1, 1), (int)N(2, 1)));
}
static void call_tiny_shrink(world *w) {
  (void)w;
  give_tensor(w, tiny_shrink(H(0), the_shape(w, 1)));
}
static void call_tiny_slice(world *w) {
  (void)w;
  give_tensor(w, tiny_slice(H(0), (int)N(0, 0), N(1, 1), N(2, 1), N(3, 1)));
}
static void call_tiny_slice_to(world *w) {
  (void)w;
  give_tensor(w, tiny_slice_to(H(0), (int)N(0, 0), H(1)));
}
static void call_tiny_with_length(world *w) {
  (void)w;
  give_tensor(w, tiny_with_length(H(0), (int)N(0, 0), H(1)));
}
static void call_tiny_whole(world *w) {
  (void)w;
  give_tensor(w, tiny_whole(H(0), (int)N(0, 0), D(0, 0.5)));
}
static void call_tiny_length_of(world *w) {
  (void)w;
  give_tensor(w, tiny_length_of(H(0), (int)N(0, 0)));
}
static void call_tiny_mask_to(world *w) {
  (void)w;
  give_tensor(w, tiny_mask_to(H(0), (int)N(0, 0), H(1)));
}
static void call_tiny_slice_at(world *w) {
  (void)w;
  give_tensor(w, tiny_slice_at(H(0), (int)N(0, 0), H(1), N(1, 1)));
}
static void call_tiny_narrow(world *w) {
  (void)w;
  give_tensor(w, tiny_narrow(H(0), (int)N(0, 0), N(1, 1), N(2, 1)));
}
static void call_tiny_select(world *w) {
  (void)w;
  give_tensor(w, tiny_select(H(0), (int)N(0, 0), N(1, 1)));
}
static void call_tiny_sliding_window(world *w) {
  (void)w;
  give_tensor(w, tiny_sliding_window(H(0), (int)N(0, 0), N(1, 1), N(2, 1)));
}
static void call_tiny_diagonal(world *w) {
  (void)w;
  give_tensor(w, tiny_diagonal(H(0), N(0, 1), (int)N(1, 1), (int)N(2, 1)));
}
static void call_tiny_diag_embed(world *w) {
  (void)w;
  give_tensor(w, tiny_diag_embed(H(0), N(0, 1), (int)N(1, 1), (int)N(2, 1)));
}
static void call_tiny_diag(world *w) {
  (void)w;
  give_tensor(w, tiny_diag(H(0), N(0, 1)));
}
static void call_tiny_split(world *w) {
  (void)w;
  give_number(w, tiny_split(H(0), N(0, 1), (int)N(1, 0), O(0), C(2)));
}
static void call_tiny_split_sizes(world *w) {
  (void)w;
  give_number(w, tiny_split_sizes(H(0), w->longs, C(0), (int)N(1, 0), O(0)));
}
static void call_tiny_chunk(world *w) {
  (void)w;
  give_number(w, tiny_chunk(H(0), C(0), (int)N(1, 0), O(0)));
}
static void call_tiny_unbind(world *w) {
  (void)w;
  give_number(w, tiny_unbind(H(0), (int)N(0, 0), O(0), C(1)));
}
static void call_tiny_meshgrid(world *w) {
  (void)w;
  give_number(w, tiny_meshgrid(L(0), C(0), (int)N(1, 1), O(0)));
}
static void call_tiny_select_scatter(world *w) {
  (void)w;
  give_tensor(w, tiny_select_scatter(H(0), H(1), (int)N(0, 0), N(1, 1)));
}
static void call_tiny_slice_scatter(world *w) {
  (void)w;
  give_tensor(w, tiny_slice_scatter(H(0), H(1), (int)N(0, 0), N(1, 1), N(2, 1), N(3, 1)));
}
static void call_tiny_diagonal_scatter(world *w) {
  (void)w;
  give_tensor(w, tiny_diagonal_scatter(H(0), H(1), N(0, 1), (int)N(1, 1), (int)N(2, 1)));
}
static void call_tiny_cat(world *w) {
  (void)w;
  give_tensor(w, tiny_cat(L(0), C(0), (int)N(1, 0)));
}
static void call_tiny_stack(world *w) {
  (void)w;
  give_tensor(w, tiny_stack(L(0), C(0), (int)N(1, 0)));
}
static void call_tiny_pad(world *w) {
  (void)w;
  give_tensor(w, tiny_pad(H(0), the_shape(w, 1), D(0, 0.5)));
}
static void call_tiny_pad_mode(world *w) {
  (void)w;
  give_tensor(w, tiny_pad_mode(H(0), the_shape(w, 1), (tiny_padding)N(0, 0)));
}
static void call_tiny_add(world *w) {
  (void)w;
  give_tensor(w, tiny_add(H(0), H(1)));
}
static void call_tiny_sub(world *w) {
  (void)w;
  give_tensor(w, tiny_sub(H(0), H(1)));
}
static void call_tiny_mul(world *w) {
  (void)w;
  give_tensor(w, tiny_mul(H(0), H(1)));
}
static void call_tiny_div(world *w) {
  (void)w;
  give_tensor(w, tiny_div(H(0), H(1)));
}
static void call_tiny_floor_div(world *w) {
  (void)w;
  give_tensor(w, tiny_floor_div(H(0), H(1)));
}
static void call_tiny_trunc_div(world *w) {
  (void)w;
  give_tensor(w, tiny_trunc_div(H(0), H(1)));
}
static void call_tiny_remainder(world *w) {
  (void)w;
  give_tensor(w, tiny_remainder(H(0), H(1)));
}
static void call_tiny_fmod(world *w) {
  (void)w;
  give_tensor(w, tiny_fmod(H(0), H(1)));
}
static void call_tiny_pow(world *w) {
  (void)w;
  give_tensor(w, tiny_pow(H(0), H(1)));
}
static void call_tiny_maximum(world *w) {
  (void)w;
  give_tensor(w, tiny_maximum(H(0), H(1)));
}
static void call_tiny_minimum(world *w) {
  (void)w;
  give_tensor(w, tiny_minimum(H(0), H(1)));
}
static void call_tiny_fmax(world *w) {
  (void)w;
  give_tensor(w, tiny_fmax(H(0), H(1)));
}
static void call_tiny_fmin(world *w) {
  (void)w;
  give_tensor(w, tiny_fmin(H(0), H(1)));
}
static void call_tiny_lt(world *w) {
  (void)w;
  give_tensor(w, tiny_lt(H(0), H(1)));
}
static void call_tiny_gt(world *w) {
  (void)w;
  give_tensor(w, tiny_gt(H(0), H(1)));
}
static void call_tiny_le(world *w) {
  (void)w;
  give_tensor(w, tiny_le(H(0), H(1)));
}
static void call_tiny_ge(world *w) {
  (void)w;
  give_tensor(w, tiny_ge(H(0), H(1)));
}
static void call_tiny_eq(world *w) {
  (void)w;
  give_tensor(w, tiny_eq(H(0), H(1)));
}
static void call_tiny_ne(world *w) {
  (void)w;
  give_tensor(w, tiny_ne(H(0), H(1)));
}
static void call_tiny_add_scalar(world *w) {
  (void)w;
  give_tensor(w, tiny_add_scalar(H(0), D(0, 0.5)));
}
static void call_tiny_sub_scalar(world *w) {
  (void)w;
  give_tensor(w, tiny_sub_scalar(H(0), D(0, 0.5)));
}
static void call_tiny_rsub_scalar(world *w) {
  (void)w;
  give_tensor(w, tiny_rsub_scalar(H(0), D(0, 0.5)));
}
static void call_tiny_mul_scalar(world *w) {
  (void)w;
  give_tensor(w, tiny_mul_scalar(H(0), D(0, 0.5)));
}
static void call_tiny_div_scalar(world *w) {
  (void)w;
  give_tensor(w, tiny_div_scalar(H(0), D(0, 0.5)));
}
static void call_tiny_rdiv_scalar(world *w) {
  (void)w;
  give_tensor(w, tiny_rdiv_scalar(H(0), D(0, 0.5)));
}
static void call_tiny_floor_div_scalar(world *w) {
  (void)w;
  give_tensor(w, tiny_floor_div_scalar(H(0), D(0, 0.5)));
}
static void call_tiny_rfloor_div_scalar(world *w) {
  (void)w;
  give_tensor(w, tiny_rfloor_div_scalar(H(0), D(0, 0.5)));
}
static void call_tiny_remainder_scalar(world *w) {
  (void)w;
  give_tensor(w, tiny_remainder_scalar(H(0), D(0, 0.5)));
}
static void call_tiny_rremainder_scalar(world *w) {
  (void)w;
  give_tensor(w, tiny_rremainder_scalar(H(0), D(0, 0.5)));
}
static void call_tiny_pow_scalar(world *w) {
  (void)w;
  give_tensor(w, tiny_pow_scalar(H(0), D(0, 0.5)));
}
static void call_tiny_rpow_scalar(world *w) {
  (void)w;
  give_tensor(w, tiny_rpow_scalar(H(0), D(0, 0.5)));
}
static void call_tiny_maximum_scalar(world *w) {
  (void)w;
  give_tensor(w, tiny_maximum_scalar(H(0), D(0, 0.5)));
}
static void call_tiny_minimum_scalar(world *w) {
  (void)w;
  give_tensor(w, tiny_minimum_scalar(H(0), D(0, 0.5)));
}
static void call_tiny_lt_scalar(world *w) {
  (void)w;
  give_tensor(w, tiny_lt_scalar(H(0), D(0, 0.5)));
}
static void call_tiny_gt_scalar(world *w) {
  (void)w;
  give_tensor(w, tiny_gt_scalar(H(0), D(0, 0.5)));
}
static void call_tiny_le_scalar(world *w) {
  (void)w;
  give_tensor(w, tiny_le_scalar(H(0), D(0, 0.5)));
}
static void call_tiny_ge_scalar(world *w) {
  (void)w;
  give_tensor(w, tiny_ge_scalar(H(0), D(0, 0.5)));
}
static void call_tiny_eq_scalar(world *w) {
  (void)w;
  give_tensor(w, tiny_eq_scalar(H(0), D(0, 0.5)));
}
static void call_tiny_ne_scalar(world *w) {
  (void)w;
  give_tensor(w, tiny_ne_scalar(H(0), D(0, 0.5)));
}
static void call_tiny_isclose(world *w) {
  (void)w;
  give_tensor(w, tiny_isclose(H(0), H(1), D(0, 0.5), D(1, 0.5), (int)N(0, 1)));
}
static void call_tiny_allclose(world *w) {
  (void)w;
  give_tensor(w, tiny_allclose(H(0), H(1), D(0, 0.5), D(1, 0.5), (int)N(0, 1)));
}
static void call_tiny_logical_and(world *w) {
  (void)w;
  give_tensor(w, tiny_logical_and(H(0), H(1)));
}
static void call_tiny_logical_or(world *w) {
  (void)w;
  give_tensor(w, tiny_logical_or(H(0), H(1)));
}
static void call_tiny_logical_xor(world *w) {
  (void)w;
  give_tensor(w, tiny_logical_xor(H(0), H(1)));
}
static void call_tiny_logical_not(world *w) {
  (void)w;
  give_tensor(w, tiny_logical_not(H(0)));
}
static void call_tiny_bitwise_and(world *w) {
  (void)w;
  give_tensor(w, tiny_bitwise_and(H(0), H(1)));
}
static void call_tiny_bitwise_or(world *w) {
  (void)w;
  give_tensor(w, tiny_bitwise_or(H(0), H(1)));
}
static void call_tiny_bitwise_xor(world *w) {
  (void)w;
  give_tensor(w, tiny_bitwise_xor(H(0), H(1)));
}
static void call_tiny_bitwise_not(world *w) {
  (void)w;
  give_tensor(w, tiny_bitwise_not(H(0)));
}
static void call_tiny_shift_left(world *w) {
  (void)w;
  give_tensor(w, tiny_shift_left(H(0), H(1)));
}
static void call_tiny_shift_right(world *w) {
  (void)w;
  give_tensor(w, tiny_shift_right(H(0), H(1)));
}
static void call_tiny_gcd(world *w) {
  (void)w;
  give_tensor(w, tiny_gcd(H(0), H(1)));
}
static void call_tiny_lcm(world *w) {
  (void)w;
  give_tensor(w, tiny_lcm(H(0), H(1)));
}
static void call_tiny_where(world *w) {
  (void)w;
  give_tensor(w, tiny_where(H(0), H(1), H(2)));
}
static void call_tiny_clamp(world *w) {
  (void)w;
  give_tensor(w, tiny_clamp(H(0), D(0, 0.5), D(1, 0.5)));
}
static void call_tiny_clamp_to(world *w) {
  (void)w;
  give_tensor(w, tiny_clamp_to(H(0), H(1), H(2)));
}
static void call_tiny_lerp(world *w) {
  (void)w;
  give_tensor(w, tiny_lerp(H(0), H(1), H(2)));
}
static void call_tiny_addcmul(world *w) {
  (void)w;
  give_tensor(w, tiny_addcmul(H(0), H(1), H(2), D(0, 0.5)));
}
static void call_tiny_addcdiv(world *w) {
  (void)w;
  give_tensor(w, tiny_addcdiv(H(0), H(1), H(2), D(0, 0.5)));
}
static void call_tiny_neg(world *w) {
  (void)w;
  give_tensor(w, tiny_neg(H(0)));
}
static void call_tiny_abs(world *w) {
  (void)w;
  give_tensor(w, tiny_abs(H(0)));
}
static void call_tiny_sign(world *w) {
  (void)w;
  give_tensor(w, tiny_sign(H(0)));
}
static void call_tiny_square(world *w) {
  (void)w;
  give_tensor(w, tiny_square(H(0)));
}
static void call_tiny_trunc(world *w) {
  (void)w;
  give_tensor(w, tiny_trunc(H(0)));
}
static void call_tiny_floor(world *w) {
  (void)w;
  give_tensor(w, tiny_floor(H(0)));
}
static void call_tiny_ceil(world *w) {
  (void)w;
  give_tensor(w, tiny_ceil(H(0)));
}
static void call_tiny_round(world *w) {
  (void)w;
  give_tensor(w, tiny_round(H(0)));
}
static void call_tiny_round_to(world *w) {
  (void)w;
  give_tensor(w, tiny_round_to(H(0), (int)N(0, 1)));
}
static void call_tiny_frac(world *w) {
  (void)w;
  give_tensor(w, tiny_frac(H(0)));
}
static void call_tiny_copysign(world *w) {
  (void)w;
  give_tensor(w, tiny_copysign(H(0), H(1)));
}
static void call_tiny_heaviside(world *w) {
  (void)w;
  give_tensor(w, tiny_heaviside(H(0), H(1)));
}
static void call_tiny_nan_to_num(world *w) {
  (void)w;
  give_tensor(w, tiny_nan_to_num(H(0), D(0, 0.5), D(1, 0.5), D(2, 0.5)));
}
static void call_tiny_isnan(world *w) {
  (void)w;
  give_tensor(w, tiny_isnan(H(0)));
}
static void call_tiny_isinf(world *w) {
  (void)w;
  give_tensor(w, tiny_isinf(H(0)));
}
static void call_tiny_isposinf(world *w) {
  (void)w;
  give_tensor(w, tiny_isposinf(H(0)));
}
static void call_tiny_isneginf(world *w) {
  (void)w;
  give_tensor(w, tiny_isneginf(H(0)));
}
static void call_tiny_isfinite(world *w) {
  (void)w;
  give_tensor(w, tiny_isfinite(H(0)));
}
static void call_tiny_signbit(world *w) {
  (void)w;
  give_tensor(w, tiny_signbit(H(0)));
}
static void call_tiny_sqrt(world *w) {
  (void)w;
  give_tensor(w, tiny_sqrt(H(0)));
}
static void call_tiny_rsqrt(world *w) {
  (void)w;
  give_tensor(w, tiny_rsqrt(H(0)));
}
static void call_tiny_cbrt(world *w) {
  (void)w;
  give_tensor(w, tiny_cbrt(H(0)));
}
static void call_tiny_reciprocal(world *w) {
  (void)w;
  give_tensor(w, tiny_reciprocal(H(0)));
}
static void call_tiny_exp(world *w) {
  (void)w;
  give_tensor(w, tiny_exp(H(0)));
}
static void call_tiny_exp2(world *w) {
  (void)w;
  give_tensor(w, tiny_exp2(H(0)));
}
static void call_tiny_expm1(world *w) {
  (void)w;
  give_tensor(w, tiny_expm1(H(0)));
}
static void call_tiny_log(world *w) {
  (void)w;
  give_tensor(w, tiny_log(H(0)));
}
static void call_tiny_log2(world *w) {
  (void)w;
  give_tensor(w, tiny_log2(H(0)));
}
static void call_tiny_log10(world *w) {
  (void)w;
  give_tensor(w, tiny_log10(H(0)));
}
static void call_tiny_log1p(world *w) {
  (void)w;
  give_tensor(w, tiny_log1p(H(0)));
}
static void call_tiny_sin(world *w) {
  (void)w;
  give_tensor(w, tiny_sin(H(0)));
}
static void call_tiny_cos(world *w) {
  (void)w;
  give_tensor(w, tiny_cos(H(0)));
}
static void call_tiny_tan(world *w) {
  (void)w;
  give_tensor(w, tiny_tan(H(0)));
}
static void call_tiny_asin(world *w) {
  (void)w;
  give_tensor(w, tiny_asin(H(0)));
}
static void call_tiny_acos(world *w) {
  (void)w;
  give_tensor(w, tiny_acos(H(0)));
}
static void call_tiny_atan(world *w) {
  (void)w;
  give_tensor(w, tiny_atan(H(0)));
}
static void call_tiny_atan2(world *w) {
  (void)w;
  give_tensor(w, tiny_atan2(H(0), H(1)));
}
static void call_tiny_sinh(world *w) {
  (void)w;
  give_tensor(w, tiny_sinh(H(0)));
}
static void call_tiny_cosh(world *w) {
  (void)w;
  give_tensor(w, tiny_cosh(H(0)));
}
static void call_tiny_tanh(world *w) {
  (void)w;
  give_tensor(w, tiny_tanh(H(0)));
}
static void call_tiny_asinh(world *w) {
  (void)w;
  give_tensor(w, tiny_asinh(H(0)));
}
static void call_tiny_acosh(world *w) {
  (void)w;
  give_tensor(w, tiny_acosh(H(0)));
}
static void call_tiny_atanh(world *w) {
  (void)w;
  give_tensor(w, tiny_atanh(H(0)));
}
static void call_tiny_hypot(world *w) {
  (void)w;
  give_tensor(w, tiny_hypot(H(0), H(1)));
}
static void call_tiny_logaddexp(world *w) {
  (void)w;
  give_tensor(w, tiny_logaddexp(H(0), H(1)));
}
static void call_tiny_logaddexp2(world *w) {
  (void)w;
  give_tensor(w, tiny_logaddexp2(H(0), H(1)));
}
static void call_tiny_xlogy(world *w) {
  (void)w;
  give_tensor(w, tiny_xlogy(H(0), H(1)));
}
static void call_tiny_xlog1py(world *w) {
  (void)w;
  give_tensor(w, tiny_xlog1py(H(0), H(1)));
}
static void call_tiny_logit(world *w) {
  (void)w;
  give_tensor(w, tiny_logit(H(0), D(0, 0.5)));
}
static void call_tiny_sinc(world *w) {
  (void)w;
  give_tensor(w, tiny_sinc(H(0)));
}
static void call_tiny_deg2rad(world *w) {
  (void)w;
  give_tensor(w, tiny_deg2rad(H(0)));
}
static void call_tiny_rad2deg(world *w) {
  (void)w;
  give_tensor(w, tiny_rad2deg(H(0)));
}
static void call_tiny_erf(world *w) {
  (void)w;
  give_tensor(w, tiny_erf(H(0)));
}
static void call_tiny_erfc(world *w) {
  (void)w;
  give_tensor(w, tiny_erfc(H(0)));
}
static void call_tiny_erfinv(world *w) {
  (void)w;
  give_tensor(w, tiny_erfinv(H(0)));
}
static void call_tiny_lgamma(world *w) {
  (void)w;
  give_tensor(w, tiny_lgamma(H(0)));
}
static void call_tiny_digamma(world *w) {
  (void)w;
  give_tensor(w, tiny_digamma(H(0)));
}
static void call_tiny_polygamma(world *w) {
  (void)w;
  give_tensor(w, tiny_polygamma((int)N(0, 2), H(0)));
}
static void call_tiny_i0(world *w) {
  (void)w;
  give_tensor(w, tiny_i0(H(0)));
}
static void call_tiny_i0e(world *w) {
  (void)w;
  give_tensor(w, tiny_i0e(H(0)));
}
static void call_tiny_i1(world *w) {
  (void)w;
  give_tensor(w, tiny_i1(H(0)));
}
static void call_tiny_i1e(world *w) {
  (void)w;
  give_tensor(w, tiny_i1e(H(0)));
}
static void call_tiny_igamma(world *w) {
  (void)w;
  give_tensor(w, tiny_igamma(H(0), H(1)));
}
static void call_tiny_igammac(world *w) {
  (void)w;
  give_tensor(w, tiny_igammac(H(0), H(1)));
}
static void call_tiny_relu(world *w) {
  (void)w;
  give_tensor(w, tiny_relu(H(0)));
}
static void call_tiny_relu6(world *w) {
  (void)w;
  give_tensor(w, tiny_relu6(H(0)));
}
static void call_tiny_sigmoid(world *w) {
  (void)w;
  give_tensor(w, tiny_sigmoid(H(0)));
}
static void call_tiny_silu(world *w) {
  (void)w;
  give_tensor(w, tiny_silu(H(0)));
}
static void call_tiny_mish(world *w) {
  (void)w;
  give_tensor(w, tiny_mish(H(0)));
}
static void call_tiny_gelu(world *w) {
  (void)w;
  give_tensor(w, tiny_gelu(H(0)));
}
static void call_tiny_gelu_tanh(world *w) {
  (void)w;
  give_tensor(w, tiny_gelu_tanh(H(0)));
}
static void call_tiny_elu(world *w) {
  (void)w;
  give_tensor(w, tiny_elu(H(0), D(0, 0.5)));
}
static void call_tiny_selu(world *w) {
  (void)w;
  give_tensor(w, tiny_selu(H(0)));
}
static void call_tiny_celu(world *w) {
  (void)w;
  give_tensor(w, tiny_celu(H(0), D(0, 0.5)));
}
static void call_tiny_leaky_relu(world *w) {
  (void)w;
  give_tensor(w, tiny_leaky_relu(H(0), D(0, 0.5)));
}
static void call_tiny_prelu(world *w) {
  (void)w;
  give_tensor(w, tiny_prelu(H(0), H(1)));
}
static void call_tiny_rrelu(world *w) {
  (void)w;
  give_tensor(w, tiny_rrelu(H(0), D(0, 0.5), D(1, 0.5)));
}
static void call_tiny_hardtanh(world *w) {
  (void)w;
  give_tensor(w, tiny_hardtanh(H(0), D(0, 0.5), D(1, 0.5)));
}
static void call_tiny_hardsigmoid(world *w) {
  (void)w;
  give_tensor(w, tiny_hardsigmoid(H(0)));
}
static void call_tiny_hardswish(world *w) {
  (void)w;
  give_tensor(w, tiny_hardswish(H(0)));
}
static void call_tiny_threshold(world *w) {
  (void)w;
  give_tensor(w, tiny_threshold(H(0), D(0, 0.5), D(1, 0.5)));
}
static void call_tiny_hardshrink(world *w) {
  (void)w;
  give_tensor(w, tiny_hardshrink(H(0), D(0, 0.5)));
}
static void call_tiny_softshrink(world *w) {
  (void)w;
  give_tensor(w, tiny_softshrink(H(0), D(0, 0.5)));
}
static void call_tiny_tanhshrink(world *w) {
  (void)w;
  give_tensor(w, tiny_tanhshrink(H(0)));
}
static void call_tiny_softsign(world *w) {
  (void)w;
  give_tensor(w, tiny_softsign(H(0)));
}
static void call_tiny_softplus(world *w) {
  (void)w;
  give_tensor(w, tiny_softplus(H(0), D(0, 0.5), D(1, 0.5)));
}
static void call_tiny_logsigmoid(world *w) {
  (void)w;
  give_tensor(w, tiny_logsigmoid(H(0)));
}
static void call_tiny_glu(world *w) {
  (void)w;
  give_tensor(w, tiny_glu(H(0), (int)N(0, 0)));
}
static void call_tiny_sum(world *w) {
  (void)w;
  give_tensor(w, tiny_sum(H(0), (int)N(0, 0), (int)N(1, 1)));
}
static void call_tiny_prod(world *w) {
  (void)w;
  give_tensor(w, tiny_prod(H(0), (int)N(0, 0), (int)N(1, 1)));
}
static void call_tiny_amax(world *w) {
  (void)w;
  give_tensor(w, tiny_amax(H(0), (int)N(0, 0), (int)N(1, 1)));
}
static void call_tiny_amin(world *w) {
  (void)w;
  give_tensor(w, tiny_amin(H(0), (int)N(0, 0), (int)N(1, 1)));
}
static void call_tiny_aminmax(world *w) {
  (void)w;
  give_tensor(w, tiny_aminmax(H(0), (int)N(0, 0), (int)N(1, 1), O(0)));
}
static void call_tiny_mean(world *w) {
  (void)w;
  give_tensor(w, tiny_mean(H(0), (int)N(0, 0), (int)N(1, 1)));
}
static void call_tiny_var(world *w) {
  (void)w;
  give_tensor(w, tiny_var(H(0), (int)N(0, 0), (int)N(1, 1), (int)N(2, 1)));
}
static void call_tiny_std(world *w) {
  (void)w;
  give_tensor(w, tiny_std(H(0), (int)N(0, 0), (int)N(1, 1), (int)N(2, 1)));
}
static void call_tiny_var_mean(world *w) {
  (void)w;
  give_tensor(w, tiny_var_mean(H(0), (int)N(0, 0), (int)N(1, 1), (int)N(2, 1), O(0)));
}
static void call_tiny_std_mean(world *w) {
  (void)w;
  give_tensor(w, tiny_std_mean(H(0), (int)N(0, 0), (int)N(1, 1), (int)N(2, 1), O(0)));
}
static void call_tiny_nansum(world *w) {
  (void)w;
  give_tensor(w, tiny_nansum(H(0), (int)N(0, 0), (int)N(1, 1)));
}
static void call_tiny_nanmean(world *w) {
  (void)w;
  give_tensor(w, tiny_nanmean(H(0), (int)N(0, 0), (int)N(1, 1)));
}
static void call_tiny_any(world *w) {
  (void)w;
  give_tensor(w, tiny_any(H(0), (int)N(0, 0), (int)N(1, 1)));
}
static void call_tiny_all(world *w) {
  (void)w;
  give_tensor(w, tiny_all(H(0), (int)N(0, 0), (int)N(1, 1)));
}
static void call_tiny_count_nonzero(world *w) {
  (void)w;
  give_tensor(w, tiny_count_nonzero(H(0), (int)N(0, 0), (int)N(1, 1)));
}
static void call_tiny_norm(world *w) {
  (void)w;
  give_tensor(w, tiny_norm(H(0), D(0, 0.5), (int)N(0, 0), (int)N(1, 1)));
}
static void call_tiny_renorm(world *w) {
  (void)w;
  give_tensor(w, tiny_renorm(H(0), D(0, 0.5), (int)N(0, 0), D(1, 0.5)));
}
static void call_tiny_dist(world *w) {
  (void)w;
  give_tensor(w, tiny_dist(H(0), H(1), D(0, 0.5)));
}
static void call_tiny_reduce(world *w) {
  (void)w;
  give_tensor(w, tiny_reduce(H(0), (tiny_reduce_op)N(0, 0), the_shape(w, 2), (int)N(1, 1)));
}
static void call_tiny_argmax(world *w) {
  (void)w;
  give_tensor(w, tiny_argmax(H(0), (int)N(0, 0), (int)N(1, 1)));
}
static void call_tiny_argmin(world *w) {
  (void)w;
  give_tensor(w, tiny_argmin(H(0), (int)N(0, 0), (int)N(1, 1)));
}
static void call_tiny_max(world *w) {
  (void)w;
  give_tensor(w, tiny_max(H(0), (int)N(0, 0), (int)N(1, 1), O(0)));
}
static void call_tiny_min(world *w) {
  (void)w;
  give_tensor(w, tiny_min(H(0), (int)N(0, 0), (int)N(1, 1), O(0)));
}
static void call_tiny_cumsum(world *w) {
  (void)w;
  give_tensor(w, tiny_cumsum(H(0), (int)N(0, 0)));
}
static void call_tiny_cumprod(world *w) {
  (void)w;
  give_tensor(w, tiny_cumprod(H(0), (int)N(0, 0)));
}
static void call_tiny_logcumsumexp(world *w) {
  (void)w;
  give_tensor(w, tiny_logcumsumexp(H(0), (int)N(0, 0)));
}
static void call_tiny_cummax(world *w) {
  (void)w;
  give_tensor(w, tiny_cummax(H(0), (int)N(0, 0), O(0)));
}
static void call_tiny_cummin(world *w) {
  (void)w;
  give_tensor(w, tiny_cummin(H(0), (int)N(0, 0), O(0)));
}
static void call_tiny_diff(world *w) {
  (void)w;
  give_tensor(w, tiny_diff(H(0), N(0, 2), (int)N(1, 0), H(1), H(2)));
}
static void call_tiny_trapezoid(world *w) {
  (void)w;
  give_tensor(w, tiny_trapezoid(H(0), H(1), D(0, 0.5), (int)N(0, 0)));
}
static void call_tiny_cumulative_trapezoid(world *w) {
  (void)w;
  give_tensor(w, tiny_cumulative_trapezoid(H(0), H(1), D(0, 0.5), (int)N(0, 0)));
}
static void call_tiny_one_hot(world *w) {
  (void)w;
  give_tensor(w, tiny_one_hot(H(0), N(0, 1)));
}
static void call_tiny_gather(world *w) {
  (void)w;
  give_tensor(w, tiny_gather(H(0), (int)N(0, 0), H(1)));
}
static void call_tiny_take_along_axis(world *w) {
  (void)w;
  give_tensor(w, tiny_take_along_axis(H(0), (int)N(0, 0), H(1)));
}
static void call_tiny_index_select(world *w) {
  (void)w;
  give_tensor(w, tiny_index_select(H(0), (int)N(0, 0), H(1)));
}
static void call_tiny_take(world *w) {
  (void)w;
  give_tensor(w, tiny_take(H(0), H(1)));
}
static void call_tiny_index(world *w) {
  (void)w;
  give_tensor(w, tiny_index(H(0), L(1), C(0)));
}
static void call_tiny_scatter(world *w) {
  (void)w;
  give_tensor(w, tiny_scatter(H(0), (int)N(0, 0), H(1), H(2)));
}
static void call_tiny_scatter_add(world *w) {
  (void)w;
  give_tensor(w, tiny_scatter_add(H(0), (int)N(0, 0), H(1), H(2)));
}
static void call_tiny_scatter_reduce(world *w) {
  (void)w;
  give_tensor(w, tiny_scatter_reduce(H(0), (int)N(0, 0), H(1), H(2), (tiny_reduce_op)N(1, 0), (int)N(2, 1)));
}
static void call_tiny_index_add(world *w) {
  (void)w;
  give_tensor(w, tiny_index_add(H(0), (int)N(0, 0), H(1), H(2)));
}
static void call_tiny_index_copy(world *w) {
  (void)w;
  give_tensor(w, tiny_index_copy(H(0), (int)N(0, 0), H(1), H(2)));
}
static void call_tiny_index_reduce(world *w) {
  (void)w;
  give_tensor(w, tiny_index_reduce(H(0), (int)N(0, 0), H(1), H(2), (tiny_reduce_op)N(1, 0), (int)N(2, 1)));
}
static void call_tiny_index_fill(world *w) {
  (void)w;
  give_tensor(w, tiny_index_fill(H(0), (int)N(0, 0), H(1), D(0, 0.5)));
}
static void call_tiny_put(world *w) {
  (void)w;
  give_tensor(w, tiny_put(H(0), H(1), H(2), (int)N(0, 1)));
}
static void call_tiny_index_put(world *w) {
  (void)w;
  give_tensor(w, tiny_index_put(H(0), L(1), C(0), H(3), (int)N(1, 1)));
}
static void call_tiny_masked_fill(world *w) {
  (void)w;
  give_tensor(w, tiny_masked_fill(H(0), H(1), D(0, 0.5)));
}
static void call_tiny_masked_select(world *w) {
  (void)w;
  give_tensor(w, tiny_masked_select(H(0), H(1)));
}
static void call_tiny_repeat_interleave_by(world *w) {
  (void)w;
  give_tensor(w, tiny_repeat_interleave_by(H(0), H(1), (int)N(0, 0)));
}
static void call_tiny_masked_scatter(world *w) {
  (void)w;
  give_tensor(w, tiny_masked_scatter(H(0), H(1), H(2)));
}
static void call_tiny_nonzero(world *w) {
  (void)w;
  give_tensor(w, tiny_nonzero(H(0)));
}
static void call_tiny_bincount(world *w) {
  (void)w;
  give_tensor(w, tiny_bincount(H(0), H(1), N(0, 1)));
}
static void call_tiny_histc(world *w) {
  (void)w;
  give_tensor(w, tiny_histc(H(0), N(0, 1), D(0, 0.5), D(1, 0.5)));
}
static void call_tiny_sort(world *w) {
  (void)w;
  give_tensor(w, tiny_sort(H(0), (int)N(0, 0), (int)N(1, 1), O(0)));
}
static void call_tiny_argsort(world *w) {
  (void)w;
  give_tensor(w, tiny_argsort(H(0), (int)N(0, 0), (int)N(1, 1)));
}
static void call_tiny_topk(world *w) {
  (void)w;
  give_tensor(w, tiny_topk(H(0), N(0, 1), (int)N(1, 0), (int)N(2, 1), O(0)));
}
static void call_tiny_kthvalue(world *w) {
  (void)w;
  give_tensor(w, tiny_kthvalue(H(0), N(0, 1), (int)N(1, 0), (int)N(2, 1), O(0)));
}
static void call_tiny_median(world *w) {
  (void)w;
  give_tensor(w, tiny_median(H(0), (int)N(0, 0), (int)N(1, 1), O(0)));
}
static void call_tiny_nanmedian(world *w) {
  (void)w;
  give_tensor(w, tiny_nanmedian(H(0), (int)N(0, 0), (int)N(1, 1), O(0)));
}
static void call_tiny_quantile(world *w) {
  (void)w;
  give_tensor(w, tiny_quantile(H(0), H(1), (int)N(0, 0), (int)N(1, 1)));
}
static void call_tiny_nanquantile(world *w) {
  (void)w;
  give_tensor(w, tiny_nanquantile(H(0), H(1), (int)N(0, 0), (int)N(1, 1)));
}
static void call_tiny_quantile_by(world *w) {
  (void)w;
  give_tensor(w, tiny_quantile_by(H(0), H(1), (int)N(0, 0), (int)N(1, 1), (tiny_quantile_rule)N(2, 0)));
}
static void call_tiny_nanquantile_by(world *w) {
  (void)w;
  give_tensor(w, tiny_nanquantile_by(H(0), H(1), (int)N(0, 0), (int)N(1, 1), (tiny_quantile_rule)N(2, 0)));
}
static void call_tiny_mode(world *w) {
  (void)w;
  give_tensor(w, tiny_mode(H(0), (int)N(0, 0), (int)N(1, 1), O(0)));
}
static void call_tiny_unique(world *w) {
  (void)w;
  give_tensor(w, tiny_unique(H(0), O(0), O(1)));
}
static void call_tiny_unique_consecutive(world *w) {
  (void)w;
  give_tensor(w, tiny_unique_consecutive(H(0), O(0), O(1)));
}
static void call_tiny_unique_along(world *w) {
  (void)w;
  give_tensor(w, tiny_unique_along(H(0), (int)N(0, 0), O(0), O(1)));
}
static void call_tiny_unique_consecutive_along(world *w) {
  (void)w;
  give_tensor(w, tiny_unique_consecutive_along(H(0), (int)N(0, 0), O(0), O(1)));
}
static void call_tiny_searchsorted(world *w) {
  (void)w;
  give_tensor(w, tiny_searchsorted(H(0), H(1), (int)N(0, 1)));
}
static void call_tiny_bucketize(world *w) {
  (void)w;
  give_tensor(w, tiny_bucketize(H(0), H(1), (int)N(0, 1)));
}
static void call_tiny_histogram(world *w) {
  (void)w;
  give_tensor(w, tiny_histogram(H(0), H(1), H(2), (int)N(0, 1)));
}
static void call_tiny_histogram_bins(world *w) {
  (void)w;
  give_tensor(w, tiny_histogram_bins(H(0), N(0, 1), D(0, 0.5), D(1, 0.5), H(1), (int)N(1, 1), O(0)));
}
static void call_tiny_isin(world *w) {
  (void)w;
  give_tensor(w, tiny_isin(H(0), H(1)));
}
static void call_tiny_matmul(world *w) {
  (void)w;
  give_tensor(w, tiny_matmul(H(0), H(1)));
}
static void call_tiny_linear(world *w) {
  (void)w;
  give_tensor(w, tiny_linear(H(0), H(1), H(2)));
}
static void call_tiny_dot(world *w) {
  (void)w;
  give_tensor(w, tiny_dot(H(0), H(1)));
}
static void call_tiny_vdot(world *w) {
  (void)w;
  give_tensor(w, tiny_vdot(H(0), H(1)));
}
static void call_tiny_vecdot(world *w) {
  (void)w;
  give_tensor(w, tiny_vecdot(H(0), H(1), (int)N(0, 0)));
}
static void call_tiny_inner(world *w) {
  (void)w;
  give_tensor(w, tiny_inner(H(0), H(1)));
}
static void call_tiny_outer(world *w) {
  (void)w;
  give_tensor(w, tiny_outer(H(0), H(1)));
}
static void call_tiny_kron(world *w) {
  (void)w;
  give_tensor(w, tiny_kron(H(0), H(1)));
}
static void call_tiny_tensordot(world *w) {
  (void)w;
  give_tensor(w, tiny_tensordot(H(0), H(1), the_shape(w, 2), the_shape(w, 3)));
}
static void call_tiny_multi_dot(world *w) {
  (void)w;
  give_tensor(w, tiny_multi_dot(L(0), C(0)));
}
static void call_tiny_einsum(world *w) {
  (void)w;
  give_tensor(w, tiny_einsum(T("ij,jk"), L(0), C(0)));
}
static void call_tiny_trace(world *w) {
  (void)w;
  give_tensor(w, tiny_trace(H(0)));
}
static void call_tiny_cross(world *w) {
  (void)w;
  give_tensor(w, tiny_cross(H(0), H(1), (int)N(0, 0)));
}
static void call_tiny_cdist(world *w) {
  (void)w;
  give_tensor(w, tiny_cdist(H(0), H(1), D(0, 0.5)));
}
static void call_tiny_det(world *w) {
  (void)w;
  give_tensor(w, tiny_det(H(0)));
}
static void call_tiny_slogdet(world *w) {
  (void)w;
  give_tensor(w, tiny_slogdet(H(0), O(0)));
}
static void call_tiny_inv(world *w) {
  (void)w;
  give_tensor(w, tiny_inv(H(0)));
}
static void call_tiny_solve(world *w) {
  (void)w;
  give_tensor(w, tiny_solve(H(0), H(1)));
}
static void call_tiny_triangular_solve(world *w) {
  (void)w;
  give_tensor(w, tiny_triangular_solve(H(0), H(1), (int)N(0, 1), (int)N(1, 1)));
}
static void call_tiny_cholesky(world *w) {
  (void)w;
  give_tensor(w, tiny_cholesky(H(0), (int)N(0, 1)));
}
static void call_tiny_lu(world *w) {
  (void)w;
  give_tensor(w, tiny_lu(H(0), O(0), O(1)));
}
static void call_tiny_qr(world *w) {
  (void)w;
  give_tensor(w, tiny_qr(H(0), (int)N(0, 1), O(0)));
}
static void call_tiny_svd(world *w) {
  (void)w;
  give_tensor(w, tiny_svd(H(0), O(0), O(1)));
}
static void call_tiny_eigh(world *w) {
  (void)w;
  give_tensor(w, tiny_eigh(H(0), O(0)));
}
static void call_tiny_lu_solve(world *w) {
  (void)w;
  give_tensor(w, tiny_lu_solve(H(0), H(1), H(2), H(3)));
}
static void call_tiny_cholesky_solve(world *w) {
  (void)w;
  give_tensor(w, tiny_cholesky_solve(H(0), H(1), (int)N(0, 1)));
}
static void call_tiny_pinv(world *w) {
  (void)w;
  give_tensor(w, tiny_pinv(H(0), D(0, 0.5)));
}
static void call_tiny_pinv_within(world *w) {
  (void)w;
  give_tensor(w, tiny_pinv_within(H(0), D(0, 0.5), D(1, 0.5)));
}
static void call_tiny_lstsq(world *w) {
  (void)w;
  give_tensor(w, tiny_lstsq(H(0), H(1)));
}
static void call_tiny_matrix_rank(world *w) {
  (void)w;
  give_tensor(w, tiny_matrix_rank(H(0), D(0, 0.5)));
}
static void call_tiny_matrix_rank_within(world *w) {
  (void)w;
  give_tensor(w, tiny_matrix_rank_within(H(0), D(0, 0.5), D(1, 0.5)));
}
static void call_tiny_matrix_norm(world *w) {
  (void)w;
  give_tensor(w, tiny_matrix_norm(H(0), (tiny_norm_order)N(0, 0)));
}
static void call_tiny_cond(world *w) {
  (void)w;
  give_tensor(w, tiny_cond(H(0), (tiny_norm_order)N(0, 0)));
}
static void call_tiny_matrix_power(world *w) {
  (void)w;
  give_tensor(w, tiny_matrix_power(H(0), N(0, 2)));
}
static void call_tiny_matrix_exp(world *w) {
  (void)w;
  give_tensor(w, tiny_matrix_exp(H(0)));
}
static void call_tiny_cov(world *w) {
  (void)w;
  give_tensor(w, tiny_cov(H(0), (int)N(0, 1), H(1), H(2)));
}
static void call_tiny_corrcoef(world *w) {
  (void)w;
  give_tensor(w, tiny_corrcoef(H(0)));
}
static void call_tiny_fft(world *w) {
  (void)w;
  give_tensor(w, tiny_fft(H(0), N(0, 2), (int)N(1, 0), (tiny_fft_norm)N(2, 0)));
}
static void call_tiny_ifft(world *w) {
  (void)w;
  give_tensor(w, tiny_ifft(H(0), N(0, 2), (int)N(1, 0), (tiny_fft_norm)N(2, 0)));
}
static void call_tiny_rfft(world *w) {
  (void)w;
  give_tensor(w, tiny_rfft(H(0), N(0, 2), (int)N(1, 0), (tiny_fft_norm)N(2, 0)));
}
static void call_tiny_irfft(world *w) {
  (void)w;
  give_tensor(w, tiny_irfft(H(0), N(0, 2), (int)N(1, 0), (tiny_fft_norm)N(2, 0)));
}
static void call_tiny_fftn(world *w) {
  (void)w;
  give_tensor(w, tiny_fftn(H(0), the_shape(w, 1), (tiny_fft_norm)N(0, 0)));
}
static void call_tiny_ifftn(world *w) {
  (void)w;
  give_tensor(w, tiny_ifftn(H(0), the_shape(w, 1), (tiny_fft_norm)N(0, 0)));
}
static void call_tiny_rfftn(world *w) {
  (void)w;
  give_tensor(w, tiny_rfftn(H(0), the_shape(w, 1), (tiny_fft_norm)N(0, 0)));
}
static void call_tiny_irfftn(world *w) {
  (void)w;
  give_tensor(w, tiny_irfftn(H(0), N(0, 1), the_shape(w, 2), (tiny_fft_norm)N(1, 0)));
}
static void call_tiny_fftshift(world *w) {
  (void)w;
  give_tensor(w, tiny_fftshift(H(0), the_shape(w, 1)));
}
static void call_tiny_ifftshift(world *w) {
  (void)w;
  give_tensor(w, tiny_ifftshift(H(0), the_shape(w, 1)));
}
static void call_tiny_fftfreq(world *w) {
  (void)w;
  give_tensor(w, tiny_fftfreq(w->t, N(0, 2), D(0, 0.5), (tiny_dtype)N(1, TINY_F32)));
}
static void call_tiny_rfftfreq(world *w) {
  (void)w;
  give_tensor(w, tiny_rfftfreq(w->t, N(0, 2), D(0, 0.5), (tiny_dtype)N(1, TINY_F32)));
}
static void call_tiny_stft(world *w) {
  (void)w;
  tiny_stft_desc a2;
  memset(&a2, 0, sizeof a2);
  a2.window = H(1);
  give_tensor(w, tiny_stft(H(0), N(0, 2), &a2));
}
static void call_tiny_istft(world *w) {
  (void)w;
  tiny_stft_desc a2;
  memset(&a2, 0, sizeof a2);
  a2.window = H(1);
  give_tensor(w, tiny_istft(H(0), N(0, 2), &a2));
}
static void call_tiny_complex(world *w) {
  (void)w;
  give_tensor(w, tiny_complex(H(0), H(1)));
}
static void call_tiny_polar(world *w) {
  (void)w;
  give_tensor(w, tiny_polar(H(0), H(1)));
}
static void call_tiny_real(world *w) {
  (void)w;
  give_tensor(w, tiny_real(H(0)));
}
static void call_tiny_imag(world *w) {
  (void)w;
  give_tensor(w, tiny_imag(H(0)));
}
static void call_tiny_conj(world *w) {
  (void)w;
  give_tensor(w, tiny_conj(H(0)));
}
static void call_tiny_complex_mul(world *w) {
  (void)w;
  give_tensor(w, tiny_complex_mul(H(0), H(1)));
}
static void call_tiny_complex_abs(world *w) {
  (void)w;
  give_tensor(w, tiny_complex_abs(H(0)));
}
static void call_tiny_softmax(world *w) {
  (void)w;
  give_tensor(w, tiny_softmax(H(0), (int)N(0, 0)));
}
static void call_tiny_log_softmax(world *w) {
  (void)w;
  give_tensor(w, tiny_log_softmax(H(0), (int)N(0, 0)));
}
static void call_tiny_softmin(world *w) {
  (void)w;
  give_tensor(w, tiny_softmin(H(0), (int)N(0, 0)));
}
static void call_tiny_logsumexp(world *w) {
  (void)w;
  give_tensor(w, tiny_logsumexp(H(0), (int)N(0, 0), (int)N(1, 1)));
}
static void call_tiny_gumbel_softmax(world *w) {
  (void)w;
  give_tensor(w, tiny_gumbel_softmax(H(0), D(0, 0.5), (int)N(0, 1), (int)N(1, 0)));
}
static void call_tiny_layer_norm(world *w) {
  (void)w;
  give_tensor(w, tiny_layer_norm(H(0), (int)N(0, 1), H(1), H(2), D(0, 0.5)));
}
static void call_tiny_rms_norm(world *w) {
  (void)w;
  give_tensor(w, tiny_rms_norm(H(0), (int)N(0, 1), H(1), D(0, 0.5)));
}
static void call_tiny_group_norm(world *w) {
  (void)w;
  give_tensor(w, tiny_group_norm(H(0), N(0, 1), H(1), H(2), D(0, 0.5)));
}
static void call_tiny_instance_norm(world *w) {
  (void)w;
  give_tensor(w, tiny_instance_norm(H(0), H(1), H(2), D(0, 0.5)));
}
static void call_tiny_batch_norm(world *w) {
  (void)w;
  tiny_batch_norm_state a1;
  memset(&a1, 0, sizeof a1);
  a1.mean = H(1);
  a1.var = H(2);
  a1.weight = H(3);
  a1.bias = H(4);
  give_tensor(w, tiny_batch_norm(H(0), &a1, (int)N(0, 1)));
}
static void call_tiny_local_response_norm(world *w) {
  (void)w;
  give_tensor(w, tiny_local_response_norm(H(0), N(0, 1), D(0, 0.5), D(1, 0.5), D(2, 0.5)));
}
static void call_tiny_normalize(world *w) {
  (void)w;
  give_tensor(w, tiny_normalize(H(0), D(0, 0.5), (int)N(0, 0), D(1, 0.5)));
}
static void call_tiny_cosine_similarity(world *w) {
  (void)w;
  give_tensor(w, tiny_cosine_similarity(H(0), H(1), (int)N(0, 0), D(0, 0.5)));
}
static void call_tiny_pairwise_distance(world *w) {
  (void)w;
  give_tensor(w, tiny_pairwise_distance(H(0), H(1), D(0, 0.5), D(1, 0.5), (int)N(0, 1)));
}
static void call_tiny_bilinear(world *w) {
  (void)w;
  give_tensor(w, tiny_bilinear(H(0), H(1), H(2), H(3)));
}
static void call_tiny_mse_loss(world *w) {
  (void)w;
  give_tensor(w, tiny_mse_loss(H(0), H(1), (tiny_reduction)N(0, 0)));
}
static void call_tiny_l1_loss(world *w) {
  (void)w;
  give_tensor(w, tiny_l1_loss(H(0), H(1), (tiny_reduction)N(0, 0)));
}
static void call_tiny_smooth_l1_loss(world *w) {
  (void)w;
  give_tensor(w, tiny_smooth_l1_loss(H(0), H(1), D(0, 0.5), (tiny_reduction)N(0, 0)));
}
static void call_tiny_huber_loss(world *w) {
  (void)w;
  give_tensor(w, tiny_huber_loss(H(0), H(1), D(0, 0.5), (tiny_reduction)N(0, 0)));
}
static void call_tiny_binary_cross_entropy(world *w) {
  (void)w;
  give_tensor(w, tiny_binary_cross_entropy(H(0), H(1), H(2), (tiny_reduction)N(0, 0)));
}
static void call_tiny_binary_cross_entropy_with_logits(world *w) {
  (void)w;
  give_tensor(w, tiny_binary_cross_entropy_with_logits(H(0), H(1), H(2), H(3), (tiny_reduction)N(0, 0)));
}
static void call_tiny_soft_margin_loss(world *w) {
  (void)w;
  give_tensor(w, tiny_soft_margin_loss(H(0), H(1), (tiny_reduction)N(0, 0)));
}
static void call_tiny_multilabel_soft_margin_loss(world *w) {
  (void)w;
  give_tensor(w, tiny_multilabel_soft_margin_loss(H(0), H(1), H(2), (tiny_reduction)N(0, 0)));
}
static void call_tiny_kl_div(world *w) {
  (void)w;
  give_tensor(w, tiny_kl_div(H(0), H(1), (int)N(0, 1), (tiny_reduction)N(1, 0)));
}
static void call_tiny_gaussian_nll_loss(world *w) {
  (void)w;
  give_tensor(w, tiny_gaussian_nll_loss(H(0), H(1), H(2), (int)N(0, 1), D(0, 0.5), (tiny_reduction)N(1, 0)));
}
static void call_tiny_poisson_nll_loss(world *w) {
  (void)w;
  give_tensor(w, tiny_poisson_nll_loss(H(0), H(1), (int)N(0, 1), (int)N(1, 1), D(0, 0.5), (tiny_reduction)N(2, 0)));
}
static void call_tiny_hinge_embedding_loss(world *w) {
  (void)w;
  give_tensor(w, tiny_hinge_embedding_loss(H(0), H(1), D(0, 0.5), (tiny_reduction)N(0, 0)));
}
static void call_tiny_margin_ranking_loss(world *w) {
  (void)w;
  give_tensor(w, tiny_margin_ranking_loss(H(0), H(1), H(2), D(0, 0.5), (tiny_reduction)N(0, 0)));
}
static void call_tiny_cosine_embedding_loss(world *w) {
  (void)w;
  give_tensor(w, tiny_cosine_embedding_loss(H(0), H(1), H(2), D(0, 0.5), (tiny_reduction)N(0, 0)));
}
static void call_tiny_triplet_margin_loss(world *w) {
  (void)w;
  give_tensor(w, tiny_triplet_margin_loss(H(0), H(1), H(2), D(0, 0.5), D(1, 0.5), (int)N(0, 1), (tiny_reduction)N(1, 0)));
}
static void call_tiny_cross_entropy(world *w) {
  (void)w;
  tiny_cross_entropy_desc a2;
  memset(&a2, 0, sizeof a2);
  a2.weight = H(2);
  give_tensor(w, tiny_cross_entropy(H(0), H(1), &a2));
}
static void call_tiny_nll_loss(world *w) {
  (void)w;
  tiny_cross_entropy_desc a2;
  memset(&a2, 0, sizeof a2);
  a2.weight = H(2);
  give_tensor(w, tiny_nll_loss(H(0), H(1), &a2));
}
static void call_tiny_multi_margin_loss(world *w) {
  (void)w;
  give_tensor(w, tiny_multi_margin_loss(H(0), H(1), (int)N(0, 1), D(0, 0.5), H(2), (tiny_reduction)N(1, 0)));
}
static void call_tiny_ctc_loss(world *w) {
  (void)w;
  give_tensor(w, tiny_ctc_loss(H(0), H(1), H(2), H(3), N(0, 1), (int)N(1, 1), (tiny_reduction)N(2, 0)));
}
static void call_tiny_embedding(world *w) {
  (void)w;
  give_tensor(w, tiny_embedding(H(0), H(1), N(0, 1)));
}
static void call_tiny_embedding_max_norm(world *w) {
  (void)w;
  give_tensor(w, tiny_embedding_max_norm(H(0), H(1), N(0, 1), D(0, 0.5), D(1, 0.5)));
}
static void call_tiny_embedding_bag(world *w) {
  (void)w;
  give_tensor(w, tiny_embedding_bag(H(0), H(1), H(2), H(3), (tiny_reduction)N(0, 0), N(1, 1)));
}
static void call_tiny_attention(world *w) {
  (void)w;
  tiny_attention_desc a3;
  memset(&a3, 0, sizeof a3);
  a3.mask = H(3);
  give_tensor(w, tiny_attention(H(0), H(1), H(2), &a3));
}
static void call_tiny_rope(world *w) {
  (void)w;
  tiny_rope_desc a2;
  memset(&a2, 0, sizeof a2);
  give_tensor(w, tiny_rope(H(0), H(1), &a2));
}
static void call_tiny_rnn_cell(world *w) {
  (void)w;
  tiny_recurrent_weights a2;
  memset(&a2, 0, sizeof a2);
  a2.w_ih = H(2);
  a2.w_hh = H(3);
  a2.b_ih = H(4);
  a2.b_hh = H(5);
  give_tensor(w, tiny_rnn_cell(H(0), H(1), &a2, (int)N(0, 1)));
}
static void call_tiny_gru_cell(world *w) {
  (void)w;
  tiny_recurrent_weights a2;
  memset(&a2, 0, sizeof a2);
  a2.w_ih = H(2);
  a2.w_hh = H(3);
  a2.b_ih = H(4);
  a2.b_hh = H(5);
  give_tensor(w, tiny_gru_cell(H(0), H(1), &a2));
}
static void call_tiny_lstm_cell(world *w) {
  (void)w;
  tiny_recurrent_weights a3;
  memset(&a3, 0, sizeof a3);
  a3.w_ih = H(3);
  a3.w_hh = H(4);
  a3.b_ih = H(5);
  a3.b_hh = H(6);
  give_tensor(w, tiny_lstm_cell(H(0), H(1), H(2), &a3, O(0)));
}
static void call_tiny_rnn(world *w) {
  (void)w;
  tiny_recurrent_weights a2;
  memset(&a2, 0, sizeof a2);
  a2.w_ih = H(2);
  a2.w_hh = H(3);
  a2.b_ih = H(4);
  a2.b_hh = H(5);
  tiny_recurrent_desc a3;
  memset(&a3, 0, sizeof a3);
  give_tensor(w, tiny_rnn(H(0), H(1), &a2, &a3, O(0)));
}
static void call_tiny_gru(world *w) {
  (void)w;
  tiny_recurrent_weights a2;
  memset(&a2, 0, sizeof a2);
  a2.w_ih = H(2);
  a2.w_hh = H(3);
  a2.b_ih = H(4);
  a2.b_hh = H(5);
  tiny_recurrent_desc a3;
  memset(&a3, 0, sizeof a3);
  give_tensor(w, tiny_gru(H(0), H(1), &a2, &a3, O(0)));
}
static void call_tiny_lstm(world *w) {
  (void)w;
  tiny_recurrent_weights a3;
  memset(&a3, 0, sizeof a3);
  a3.w_ih = H(3);
  a3.w_hh = H(4);
  a3.b_ih = H(5);
  a3.b_hh = H(6);
  tiny_recurrent_desc a4;
  memset(&a4, 0, sizeof a4);
  give_tensor(w, tiny_lstm(H(0), H(1), H(2), &a3, &a4, O(0), O(1)));
}
static void call_tiny_conv(world *w) {
  (void)w;
  tiny_conv_desc a3;
  memset(&a3, 0, sizeof a3);
  give_tensor(w, tiny_conv(H(0), H(1), H(2), &a3));
}
static void call_tiny_conv1d(world *w) {
  (void)w;
  tiny_conv_desc a3;
  memset(&a3, 0, sizeof a3);
  give_tensor(w, tiny_conv1d(H(0), H(1), H(2), &a3));
}
static void call_tiny_conv2d(world *w) {
  (void)w;
  tiny_conv_desc a3;
  memset(&a3, 0, sizeof a3);
  give_tensor(w, tiny_conv2d(H(0), H(1), H(2), &a3));
}
static void call_tiny_conv3d(world *w) {
  (void)w;
  tiny_conv_desc a3;
  memset(&a3, 0, sizeof a3);
  give_tensor(w, tiny_conv3d(H(0), H(1), H(2), &a3));
}
static void call_tiny_conv_transpose(world *w) {
  (void)w;
  tiny_conv_desc a3;
  memset(&a3, 0, sizeof a3);
  give_tensor(w, tiny_conv_transpose(H(0), H(1), H(2), &a3));
}
static void call_tiny_conv_transpose1d(world *w) {
  (void)w;
  tiny_conv_desc a3;
  memset(&a3, 0, sizeof a3);
  give_tensor(w, tiny_conv_transpose1d(H(0), H(1), H(2), &a3));
}
static void call_tiny_conv_transpose2d(world *w) {
  (void)w;
  tiny_conv_desc a3;
  memset(&a3, 0, sizeof a3);
  give_tensor(w, tiny_conv_transpose2d(H(0), H(1), H(2), &a3));
}
static void call_tiny_conv_transpose3d(world *w) {
  (void)w;
  tiny_conv_desc a3;
  memset(&a3, 0, sizeof a3);
  give_tensor(w, tiny_conv_transpose3d(H(0), H(1), H(2), &a3));
}
static void call_tiny_max_pool(world *w) {
  (void)w;
  tiny_pool_desc a1;
  memset(&a1, 0, sizeof a1);
  give_tensor(w, tiny_max_pool(H(0), &a1, O(0)));
}
static void call_tiny_max_pool1d(world *w) {
  (void)w;
  give_tensor(w, tiny_max_pool1d(H(0), (int)N(0, 1), (int)N(1, 1), (int)N(2, 1)));
}
static void call_tiny_max_pool2d(world *w) {
  (void)w;
  give_tensor(w, tiny_max_pool2d(H(0), (int)N(0, 1), (int)N(1, 1), (int)N(2, 1)));
}
static void call_tiny_max_pool3d(world *w) {
  (void)w;
  give_tensor(w, tiny_max_pool3d(H(0), (int)N(0, 1), (int)N(1, 1), (int)N(2, 1)));
}
static void call_tiny_max_unpool(world *w) {
  (void)w;
  tiny_pool_desc a2;
  memset(&a2, 0, sizeof a2);
  give_tensor(w, tiny_max_unpool(H(0), H(1), &a2, the_shape(w, 3)));
}
static void call_tiny_avg_pool(world *w) {
  (void)w;
  tiny_pool_desc a1;
  memset(&a1, 0, sizeof a1);
  give_tensor(w, tiny_avg_pool(H(0), &a1));
}
static void call_tiny_avg_pool1d(world *w) {
  (void)w;
  give_tensor(w, tiny_avg_pool1d(H(0), (int)N(0, 1), (int)N(1, 1), (int)N(2, 1)));
}
static void call_tiny_avg_pool2d(world *w) {
  (void)w;
  give_tensor(w, tiny_avg_pool2d(H(0), (int)N(0, 1), (int)N(1, 1), (int)N(2, 1)));
}
static void call_tiny_avg_pool3d(world *w) {
  (void)w;
  give_tensor(w, tiny_avg_pool3d(H(0), (int)N(0, 1), (int)N(1, 1), (int)N(2, 1)));
}
static void call_tiny_lp_pool(world *w) {
  (void)w;
  tiny_pool_desc a2;
  memset(&a2, 0, sizeof a2);
  give_tensor(w, tiny_lp_pool(H(0), D(0, 0.5), &a2));
}
static void call_tiny_adaptive_avg_pool(world *w) {
  (void)w;
  give_tensor(w, tiny_adaptive_avg_pool(H(0), the_shape(w, 1)));
}
static void call_tiny_adaptive_max_pool(world *w) {
  (void)w;
  give_tensor(w, tiny_adaptive_max_pool(H(0), the_shape(w, 1), O(0)));
}
static void call_tiny_unfold(world *w) {
  (void)w;
  tiny_pool_desc a1;
  memset(&a1, 0, sizeof a1);
  give_tensor(w, tiny_unfold(H(0), &a1));
}
static void call_tiny_fold(world *w) {
  (void)w;
  tiny_pool_desc a2;
  memset(&a2, 0, sizeof a2);
  give_tensor(w, tiny_fold(H(0), the_shape(w, 1), &a2));
}
static void call_tiny_interpolate(world *w) {
  (void)w;
  tiny_interpolate_desc a1;
  memset(&a1, 0, sizeof a1);
  give_tensor(w, tiny_interpolate(H(0), &a1));
}
static void call_tiny_grid_sample(world *w) {
  (void)w;
  tiny_grid_desc a2;
  memset(&a2, 0, sizeof a2);
  give_tensor(w, tiny_grid_sample(H(0), H(1), &a2));
}
static void call_tiny_affine_grid(world *w) {
  (void)w;
  give_tensor(w, tiny_affine_grid(H(0), the_shape(w, 1), (int)N(0, 1)));
}
static void call_tiny_pixel_shuffle(world *w) {
  (void)w;
  give_tensor(w, tiny_pixel_shuffle(H(0), (int)N(0, 1)));
}
static void call_tiny_pixel_unshuffle(world *w) {
  (void)w;
  give_tensor(w, tiny_pixel_unshuffle(H(0), (int)N(0, 1)));
}
static void call_tiny_channel_shuffle(world *w) {
  (void)w;
  give_tensor(w, tiny_channel_shuffle(H(0), (int)N(0, 1)));
}
static void call_tiny_params_add(world *w) {
  (void)w;
  give_code(w, tiny_params_add(the_params(w), T("a"), T("a"), H(0), (int)N(0, 1)));
}
static void call_tiny_params_enter(world *w) {
  (void)w;
  tiny_params_enter(the_params(w), T("a"));
}
static void call_tiny_params_leave(world *w) {
  (void)w;
  tiny_params_leave(the_params(w));
}
static void call_tiny_params_find(world *w) {
  (void)w;
  give_tensor(w, tiny_params_find(the_params(w), T("a")));
}
static void call_tiny_params_free(world *w) {
  (void)w;
  tiny_params_free(the_params(w));
}
static void call_tiny_linear_layer_new(world *w) {
  (void)w;
  tiny_linear_layer made = tiny_linear_layer_new(w->t, N(0, 1), N(1, 1), (int)N(2, 1));
  tiny_linear_layer_free(&made);
}
static void call_tiny_linear_layer_forward(world *w) {
  (void)w;
  tiny_linear_layer a0;
  memset(&a0, 0, sizeof a0);
  a0.weight = H(0);
  a0.bias = H(1);
  give_tensor(w, tiny_linear_layer_forward(&a0, H(2)));
}
static void call_tiny_linear_layer_params(world *w) {
  (void)w;
  tiny_linear_layer a0;
  memset(&a0, 0, sizeof a0);
  a0.weight = H(0);
  a0.bias = H(1);
  give_code(w, tiny_linear_layer_params(&a0, the_params(w), T("a")));
}
static void call_tiny_linear_layer_free(world *w) {
  (void)w;
  tiny_linear_layer a0;
  memset(&a0, 0, sizeof a0);
  a0.weight = H(0);
  a0.bias = H(1);
  tiny_linear_layer_free(&a0);
}
static void call_tiny_conv_layer_new(world *w) {
  (void)w;
  tiny_conv_desc a4;
  memset(&a4, 0, sizeof a4);
  tiny_conv_layer made = tiny_conv_layer_new(w->t, N(0, 1), N(1, 1), the_shape(w, 3), &a4, (int)N(2, 1));
  tiny_conv_layer_free(&made);
}
static void call_tiny_conv_transpose_layer_new(world *w) {
  (void)w;
  tiny_conv_desc a4;
  memset(&a4, 0, sizeof a4);
  tiny_conv_layer made = tiny_conv_transpose_layer_new(w->t, N(0, 1), N(1, 1), the_shape(w, 3), &a4, (int)N(2, 1));
  tiny_conv_layer_free(&made);
}
static void call_tiny_conv_layer_forward(world *w) {
  (void)w;
  tiny_conv_layer a0;
  memset(&a0, 0, sizeof a0);
  a0.weight = H(0);
  a0.bias = H(1);
  give_tensor(w, tiny_conv_layer_forward(&a0, H(2)));
}
static void call_tiny_conv_layer_params(world *w) {
  (void)w;
  tiny_conv_layer a0;
  memset(&a0, 0, sizeof a0);
  a0.weight = H(0);
  a0.bias = H(1);
  give_code(w, tiny_conv_layer_params(&a0, the_params(w), T("a")));
}
static void call_tiny_conv_layer_free(world *w) {
  (void)w;
  tiny_conv_layer a0;
  memset(&a0, 0, sizeof a0);
  a0.weight = H(0);
  a0.bias = H(1);
  tiny_conv_layer_free(&a0);
}
static void call_tiny_norm_layer_new(world *w) {
  (void)w;
  tiny_norm_layer made = tiny_norm_layer_new(w->t, (tiny_norm_kind)N(0, 0), the_shape(w, 2), N(1, 1));
  tiny_norm_layer_free(&made);
}
static void call_tiny_norm_layer_forward(world *w) {
  (void)w;
  tiny_norm_layer a0;
  memset(&a0, 0, sizeof a0);
  a0.weight = H(0);
  a0.bias = H(1);
  a0.mean = H(2);
  a0.var = H(3);
  give_tensor(w, tiny_norm_layer_forward(&a0, H(4), (int)N(0, 1)));
}
static void call_tiny_norm_layer_params(world *w) {
  (void)w;
  tiny_norm_layer a0;
  memset(&a0, 0, sizeof a0);
  a0.weight = H(0);
  a0.bias = H(1);
  a0.mean = H(2);
  a0.var = H(3);
  give_code(w, tiny_norm_layer_params(&a0, the_params(w), T("a")));
}
static void call_tiny_norm_layer_free(world *w) {
  (void)w;
  tiny_norm_layer a0;
  memset(&a0, 0, sizeof a0);
  a0.weight = H(0);
  a0.bias = H(1);
  a0.mean = H(2);
  a0.var = H(3);
  tiny_norm_layer_free(&a0);
}
static void call_tiny_embedding_layer_new(world *w) {
  (void)w;
  tiny_embedding_layer made = tiny_embedding_layer_new(w->t, N(0, 1), N(1, 1), N(2, 1));
  tiny_embedding_layer_free(&made);
}
static void call_tiny_embedding_layer_forward(world *w) {
  (void)w;
  tiny_embedding_layer a0;
  memset(&a0, 0, sizeof a0);
  a0.weight = H(0);
  give_tensor(w, tiny_embedding_layer_forward(&a0, H(1)));
}
static void call_tiny_embedding_layer_params(world *w) {
  (void)w;
  tiny_embedding_layer a0;
  memset(&a0, 0, sizeof a0);
  a0.weight = H(0);
  give_code(w, tiny_embedding_layer_params(&a0, the_params(w), T("a")));
}
static void call_tiny_embedding_layer_free(world *w) {
  (void)w;
  tiny_embedding_layer a0;
  memset(&a0, 0, sizeof a0);
  a0.weight = H(0);
  tiny_embedding_layer_free(&a0);
}
static void call_tiny_attention_layer_new(world *w) {
  (void)w;
  tiny_attention_layer made = tiny_attention_layer_new(w->t, N(0, 1), (int)N(1, 1), (int)N(2, 1));
  tiny_attention_layer_free(&made);
}
static void call_tiny_attention_layer_forward(world *w) {
  (void)w;
  tiny_attention_layer a0;
  memset(&a0, 0, sizeof a0);
  a0.in_proj_weight = H(0);
  a0.in_proj_bias = H(1);
  tiny_attention_desc a4;
  memset(&a4, 0, sizeof a4);
  a4.mask = H(5);
  give_tensor(w, tiny_attention_layer_forward(&a0, H(2), H(3), H(4), &a4));
}
static void call_tiny_attention_layer_params(world *w) {
  (void)w;
  tiny_attention_layer a0;
  memset(&a0, 0, sizeof a0);
  a0.in_proj_weight = H(0);
  a0.in_proj_bias = H(1);
  give_code(w, tiny_attention_layer_params(&a0, the_params(w), T("a")));
}
static void call_tiny_attention_layer_free(world *w) {
  (void)w;
  tiny_attention_layer a0;
  memset(&a0, 0, sizeof a0);
  a0.in_proj_weight = H(0);
  a0.in_proj_bias = H(1);
  tiny_attention_layer_free(&a0);
}
static void call_tiny_recurrent_layer_new(world *w) {
  (void)w;
  tiny_recurrent_desc a4;
  memset(&a4, 0, sizeof a4);
  tiny_recurrent_layer made = tiny_recurrent_layer_new(w->t, (tiny_recurrent_kind)N(0, 0), N(1, 1), N(2, 1), &a4, (int)N(3, 1));
  tiny_recurrent_layer_free(&made);
}
static void call_tiny_recurrent_layer_forward(world *w) {
  (void)w;
  give_tensor(w, tiny_recurrent_layer_forward(the_recurrent_layer(w), H(0), H(1), H(2), (int)N(0, 1), O(0), O(1)));
}
static void call_tiny_recurrent_layer_params(world *w) {
  (void)w;
  give_code(w, tiny_recurrent_layer_params(the_recurrent_layer(w), the_params(w), T("a")));
}
static void call_tiny_recurrent_layer_free(world *w) {
  (void)w;
  tiny_recurrent_layer_free(the_recurrent_layer(w));
}
static void call_tiny_grad(world *w) {
  (void)w;
  give_code(w, tiny_grad(H(0), L(1), C(0), O(0)));
}
static void call_tiny_checkpoint(world *w) {
  (void)w;
  give_tensor(w, tiny_checkpoint(H(0), L(1), C(0)));
}
static void call_tiny_optim_step(world *w) {
  (void)w;
  give_code(w, tiny_optim_step(the_optim(w), L(0), L(2), C(0)));
}
static void call_tiny_optim_minimize(world *w) {
  (void)w;
  give_code(w, tiny_optim_minimize(the_optim(w), H(0), the_params(w)));
}
static void call_tiny_optim_free(world *w) {
  (void)w;
  tiny_optim_free(the_optim(w));
}
static void call_tiny_clip_grad_norm(world *w) {
  (void)w;
  give_tensor(w, tiny_clip_grad_norm(L(0), C(0), D(0, 0.5), D(1, 0.5)));
}
static void call_tiny_clip_grad_value(world *w) {
  (void)w;
  give_code(w, tiny_clip_grad_value(L(0), C(0), D(0, 0.5)));
}
static void call_tiny_lr_step(world *w) {
  (void)w;
  (void)tiny_lr_step(D(0, 0.5), N(0, 1), N(1, 1), D(1, 0.5));
}
static void call_tiny_lr_multistep(world *w) {
  (void)w;
  (void)tiny_lr_multistep(D(0, 0.5), N(0, 1), w->longs, C(1), D(1, 0.5));
}
static void call_tiny_lr_exponential(world *w) {
  (void)w;
  (void)tiny_lr_exponential(D(0, 0.5), N(0, 1), D(1, 0.5));
}
static void call_tiny_lr_cosine(world *w) {
  (void)w;
  (void)tiny_lr_cosine(D(0, 0.5), N(0, 1), N(1, 1), D(1, 0.5));
}
static void call_tiny_lr_cosine_restarts(world *w) {
  (void)w;
  (void)tiny_lr_cosine_restarts(D(0, 0.5), N(0, 1), N(1, 1), (int)N(2, 1), D(1, 0.5));
}
static void call_tiny_lr_linear(world *w) {
  (void)w;
  (void)tiny_lr_linear(D(0, 0.5), N(0, 1), N(1, 1), D(1, 0.5), D(2, 0.5));
}
static void call_tiny_lr_one_cycle(world *w) {
  (void)w;
  (void)tiny_lr_one_cycle(D(0, 0.5), N(0, 1), N(1, 1));
}
static void call_tiny_lr_polynomial(world *w) {
  (void)w;
  (void)tiny_lr_polynomial(D(0, 0.5), N(0, 1), N(1, 1), D(1, 0.5));
}
static void call_tiny_lr_plateau(world *w) {
  (void)w;
  (void)tiny_lr_plateau(the_plateau(w), D(0, 0.5), D(1, 0.5));
}
static void call_tiny_scaler_scale(world *w) {
  (void)w;
  give_tensor(w, tiny_scaler_scale(the_scaler(w), H(0)));
}
static void call_tiny_scaler_unscale(world *w) {
  (void)w;
  give_code(w, tiny_scaler_unscale(the_scaler(w), L(0), C(0)));
}
static void call_tiny_scaler_step(world *w) {
  (void)w;
  give_code(w, tiny_scaler_step(the_scaler(w), the_optim(w), L(0), L(2), C(0)));
}
static void call_tiny_scaler_update(world *w) {
  (void)w;
  give_code(w, tiny_scaler_update(the_scaler(w)));
}
static void call_tiny_scaler_free(world *w) {
  (void)w;
  tiny_scaler_free(the_scaler(w));
}
static void call_tiny_ema_step(world *w) {
  (void)w;
  give_code(w, tiny_ema_step(the_ema(w), L(0), C(0)));
}
static void call_tiny_ema_free(world *w) {
  (void)w;
  tiny_ema_free(the_ema(w));
}
static void call_tiny_to_text(world *w) {
  (void)w;
  tiny_text_desc a1;
  memset(&a1, 0, sizeof a1);
  (void)tiny_to_text(H(0), &a1, (char *)w->bytes, (size_t)N(0, 1));
}
static void call_tiny_print(world *w) {
  (void)w;
  give_code(w, tiny_print(H(0)));
}
static void call_tiny_print_named(world *w) {
  (void)w;
  give_code(w, tiny_print_named(T("a"), H(0)));
}
static void call_tiny_find_nan(world *w) {
  (void)w;
  (void)tiny_find_nan(H(0), (char *)w->bytes, (size_t)N(0, 1));
}
static void call_tiny_params_summary(world *w) {
  (void)w;
  (void)tiny_params_summary(the_params(w), (char *)w->bytes, (size_t)N(0, 1));
}
static void call_tiny_graph_dot(world *w) {
  (void)w;
  (void)tiny_graph_dot(L(0), C(0), (char *)w->bytes, (size_t)N(1, 1));
}
static void call_tiny_graph_json(world *w) {
  (void)w;
  (void)tiny_graph_json(L(0), C(0), (char *)w->bytes, (size_t)N(1, 1));
}
static void call_tiny_load_npy(world *w) {
  (void)w;
  give_tensor(w, tiny_load_npy(w->t, P("build/api_calls.npz")));
}
static void call_tiny_load_npy_from(world *w) {
  (void)w;
  give_tensor(w, tiny_load_npy_from(w->t, w->bytes, (size_t)N(0, 1)));
}
static void call_tiny_save_npy(world *w) {
  (void)w;
  give_code(w, tiny_save_npy(H(0), P("build/api_calls.npz")));
}
static void call_tiny_save_npy_to(world *w) {
  (void)w;
  give_code(w, tiny_save_npy_to(H(0), the_writer()));
}
static void call_tiny_archive_open(world *w) {
  (void)w;
  give_pointer(w, tiny_archive_open(w->t, P("build/api_calls.npz")));
}
static void call_tiny_archive_from(world *w) {
  (void)w;
  give_pointer(w, tiny_archive_from(w->t, w->bytes, (size_t)N(0, 1)));
}
static void call_tiny_archive_count(world *w) {
  (void)w;
  give_number(w, tiny_archive_count(the_archive(w)));
}
static void call_tiny_archive_name(world *w) {
  (void)w;
  give_pointer(w, tiny_archive_name(the_archive(w), (int)N(0, 1)));
}
static void call_tiny_archive_get(world *w) {
  (void)w;
  give_tensor(w, tiny_archive_get(the_archive(w), T("a")));
}
static void call_tiny_archive_metadata(world *w) {
  (void)w;
  give_pointer(w, tiny_archive_metadata(the_archive(w), T("a")));
}
static void call_tiny_save(world *w) {
  (void)w;
  give_code(w, tiny_save(P("build/api_calls.npz"), the_names, L(0), C(0)));
}
static void call_tiny_save_as(world *w) {
  (void)w;
  tiny_save_desc a0;
  memset(&a0, 0, sizeof a0);
  a0.tensors = L(0);
  a0.n = 2;
  a0.names = the_names;
  a0.format = "npz";
  give_code(w, tiny_save_as(&a0));
}
static void call_tiny_state_save(world *w) {
  (void)w;
  give_code(w, tiny_state_save(P("build/api_calls.npz"), the_params(w), the_optim(w)));
}
static void call_tiny_state_load(world *w) {
  (void)w;
  give_code(w, tiny_state_load(P("build/api_calls.npz"), the_params(w), the_optim(w), (int)N(0, 1)));
}
static void call_tiny_load_image(world *w) {
  (void)w;
  give_tensor(w, tiny_load_image(w->t, P("build/api_calls.npz")));
}
static void call_tiny_load_image_from(world *w) {
  (void)w;
  give_tensor(w, tiny_load_image_from(w->t, w->bytes, (size_t)N(0, 1)));
}
static void call_tiny_save_image(world *w) {
  (void)w;
  give_code(w, tiny_save_image(H(0), P("build/api_calls.npz")));
}
static void call_tiny_save_image_to(world *w) {
  (void)w;
  give_code(w, tiny_save_image_to(H(0), T("a"), the_writer()));
}
static void call_tiny_load_wav(world *w) {
  (void)w;
  give_tensor(w, tiny_load_wav(w->t, P("build/api_calls.npz"), w->ints));
}
static void call_tiny_load_wav_from(world *w) {
  (void)w;
  give_tensor(w, tiny_load_wav_from(w->t, w->bytes, (size_t)N(0, 1), w->ints));
}
static void call_tiny_save_wav(world *w) {
  (void)w;
  give_code(w, tiny_save_wav(H(0), (int)N(0, 1), P("build/api_calls.npz")));
}
static void call_tiny_save_wav_to(world *w) {
  (void)w;
  give_code(w, tiny_save_wav_to(H(0), (int)N(0, 1), the_writer()));
}
static void call_tiny_load_idx(world *w) {
  (void)w;
  give_tensor(w, tiny_load_idx(w->t, P("build/api_calls.npz")));
}
static void call_tiny_load_idx_from(world *w) {
  (void)w;
  give_tensor(w, tiny_load_idx_from(w->t, w->bytes, (size_t)N(0, 1)));
}
static void call_tiny_save_idx(world *w) {
  (void)w;
  give_code(w, tiny_save_idx(H(0), P("build/api_calls.npz")));
}
static void call_tiny_save_idx_to(world *w) {
  (void)w;
  give_code(w, tiny_save_idx_to(H(0), the_writer()));
}
static void call_tiny_load_csv(world *w) {
  (void)w;
  tiny_csv_desc a2;
  memset(&a2, 0, sizeof a2);
  give_tensor(w, tiny_load_csv(w->t, P("build/api_calls.npz"), &a2));
}
static void call_tiny_save_csv(world *w) {
  (void)w;
  tiny_csv_desc a2;
  memset(&a2, 0, sizeof a2);
  give_code(w, tiny_save_csv(H(0), P("build/api_calls.npz"), &a2));
}
static void call_tiny_save_csv_to(world *w) {
  (void)w;
  tiny_csv_desc a2;
  memset(&a2, 0, sizeof a2);
  give_code(w, tiny_save_csv_to(H(0), the_writer(), &a2));
}
static void call_tiny_loader_open(world *w) {
  (void)w;
  tiny_loader_desc a1;
  memset(&a1, 0, sizeof a1);
  give_pointer(w, tiny_loader_open(w->t, &a1));
}
static void call_tiny_loader_next(world *w) {
  (void)w;
  (void)tiny_loader_next(the_loader(w), O(0));
}
static void call_tiny_loader_each(world *w) {
  (void)w;
  (void)tiny_loader_each(the_loader(w), O(0));
}
static void call_tiny_loader_count(world *w) {
  (void)w;
  (void)tiny_loader_count(the_loader(w));
}
static void call_tiny_convert_image_dtype(world *w) {
  (void)w;
  give_tensor(w, tiny_convert_image_dtype(H(0), (tiny_dtype)N(0, TINY_F32)));
}
static void call_tiny_normalize_image(world *w) {
  (void)w;
  give_tensor(w, tiny_normalize_image(H(0), w->reals, w->reals, (int)N(0, 2)));
}
static void call_tiny_rgb_to_grayscale(world *w) {
  (void)w;
  give_tensor(w, tiny_rgb_to_grayscale(H(0)));
}
static void call_tiny_resize(world *w) {
  (void)w;
  give_tensor(w, tiny_resize(H(0), N(0, 1), N(1, 1)));
}
static void call_tiny_center_crop(world *w) {
  (void)w;
  give_tensor(w, tiny_center_crop(H(0), N(0, 1), N(1, 1)));
}
static void call_tiny_gaussian_blur(world *w) {
  (void)w;
  give_tensor(w, tiny_gaussian_blur(H(0), (int)N(0, 1), D(0, 0.5)));
}
static void call_tiny_random_horizontal_flip(world *w) {
  (void)w;
  give_tensor(w, tiny_random_horizontal_flip(H(0), D(0, 0.5)));
}
static void call_tiny_random_vertical_flip(world *w) {
  (void)w;
  give_tensor(w, tiny_random_vertical_flip(H(0), D(0, 0.5)));
}
static void call_tiny_random_crop(world *w) {
  (void)w;
  give_tensor(w, tiny_random_crop(H(0), N(0, 1), N(1, 1), N(2, 1)));
}
static void call_tiny_random_resized_crop(world *w) {
  (void)w;
  tiny_random_crop_desc a3;
  memset(&a3, 0, sizeof a3);
  give_tensor(w, tiny_random_resized_crop(H(0), N(0, 1), N(1, 1), &a3));
}
static void call_tiny_random_affine(world *w) {
  (void)w;
  tiny_random_affine_desc a1;
  memset(&a1, 0, sizeof a1);
  give_tensor(w, tiny_random_affine(H(0), &a1));
}
static void call_tiny_random_rotation(world *w) {
  (void)w;
  give_tensor(w, tiny_random_rotation(H(0), D(0, 0.5)));
}
static void call_tiny_color_jitter(world *w) {
  (void)w;
  tiny_color_jitter_desc a1;
  memset(&a1, 0, sizeof a1);
  give_tensor(w, tiny_color_jitter(H(0), &a1));
}
static void call_tiny_adjust_brightness(world *w) {
  (void)w;
  give_tensor(w, tiny_adjust_brightness(H(0), H(1)));
}
static void call_tiny_adjust_contrast(world *w) {
  (void)w;
  give_tensor(w, tiny_adjust_contrast(H(0), H(1)));
}
static void call_tiny_adjust_saturation(world *w) {
  (void)w;
  give_tensor(w, tiny_adjust_saturation(H(0), H(1)));
}
static void call_tiny_adjust_hue(world *w) {
  (void)w;
  give_tensor(w, tiny_adjust_hue(H(0), H(1)));
}
static void call_tiny_random_erasing(world *w) {
  (void)w;
  tiny_random_erasing_desc a1;
  memset(&a1, 0, sizeof a1);
  give_tensor(w, tiny_random_erasing(H(0), &a1));
}
static void call_tiny_mixup(world *w) {
  (void)w;
  give_tensor(w, tiny_mixup(H(0), H(1), N(0, 1), D(0, 0.5), O(0)));
}
static void call_tiny_cutmix(world *w) {
  (void)w;
  give_tensor(w, tiny_cutmix(H(0), H(1), N(0, 1), D(0, 0.5), O(0)));
}
static void call_tiny_capture(world *w) {
  (void)w;
  give_pointer(w, tiny_capture(w->t, L(0), C(0), L(2), C(1)));
}
static void call_tiny_run(world *w) {
  (void)w;
  give_code(w, tiny_run(the_program(w), L(0), O(0)));
}
static void call_tiny_run_for(world *w) {
  (void)w;
  give_code(w, tiny_run_for(the_program(w), L(0), O(0), (uint64_t)N(0, 1)));
}
static void call_tiny_program_kernel_count(world *w) {
  (void)w;
  give_number(w, tiny_program_kernel_count(the_program(w)));
}
static void call_tiny_warm(world *w) {
  (void)w;
  give_code(w, tiny_warm(w->t, L(0), C(0)));
}
static void call_tiny_warm_capture(world *w) {
  (void)w;
  give_code(w, tiny_warm_capture(w->t, L(0), C(0), L(2), C(1)));
}
static void call_tiny_warm_left(world *w) {
  (void)w;
  give_number(w, tiny_warm_left(w->t));
}
static void call_tiny_warm_wait(world *w) {
  (void)w;
  give_code(w, tiny_warm_wait(w->t));
}
static void call_tiny_cache_export(world *w) {
  (void)w;
  give_code(w, tiny_cache_export(w->t, P("build/api_calls.npz")));
}
static void call_tiny_cache_import(world *w) {
  (void)w;
  give_code(w, tiny_cache_import(w->t, P("build/api_calls.npz")));
}
static void call_tiny_cache_export_to(world *w) {
  (void)w;
  give_code(w, tiny_cache_export_to(w->t, the_writer()));
}
static void call_tiny_cache_import_from(world *w) {
  (void)w;
  give_code(w, tiny_cache_import_from(w->t, w->bytes, (size_t)N(0, 1)));
}
static void call_tiny_kernel(world *w) {
  (void)w;
  tiny_kernel_desc a1;
  memset(&a1, 0, sizeof a1);
  a1.inputs = L(0);
  a1.n = 2;
  a1.name = "k";
  a1.source = "k";
  a1.dtype = TINY_F32;
  give_tensor(w, tiny_kernel(w->t, &a1));
}
static void call_tiny_views_of(world *w) {
  (void)w;
  (void)tiny_views_of(the_shape(w, 0));
}
static void call_tiny_views_strided(world *w) {
  (void)w;
  (void)tiny_views_strided(the_shape(w, 0), w->longs, N(0, 1));
}
static void call_tiny_views_permute(world *w) {
  (void)w;
  give_code(w, tiny_views_permute(the_views(w), the_shape(w, 1)));
}
static void call_tiny_views_expand(world *w) {
  (void)w;
  give_code(w, tiny_views_expand(the_views(w), the_shape(w, 1)));
}
static void call_tiny_views_pad(world *w) {
  (void)w;
  give_code(w, tiny_views_pad(the_views(w), the_shape(w, 1)));
}
static void call_tiny_views_shrink(world *w) {
  (void)w;
  give_code(w, tiny_views_shrink(the_views(w), the_shape(w, 1)));
}
static void call_tiny_views_flip(world *w) {
  (void)w;
  give_code(w, tiny_views_flip(the_views(w), the_shape(w, 1)));
}
static void call_tiny_views_reshape(world *w) {
  (void)w;
  give_code(w, tiny_views_reshape(the_views(w), the_shape(w, 1)));
}
static void call_tiny_views_contiguous(world *w) {
  (void)w;
  give_number(w, tiny_views_contiguous(the_views(w)));
}
static void call_tiny_views_at(world *w) {
  (void)w;
  (void)tiny_views_at(the_views(w), w->longs);
}
static void call_tiny_views_expr(world *w) {
  (void)w;
  give_code(w, tiny_views_expr(w->t, the_views(w), NULL, NULL, NULL));
}
static void call_tiny_uop_of(world *w) {
  (void)w;
  give_pointer(w, tiny_uop_of(H(0)));
}
static void call_tiny_uop_parse(world *w) {
  (void)w;
  give_pointer(w, tiny_uop_parse(w->t, T("a")));
}
static void call_tiny_op_name(world *w) {
  (void)w;
  give_pointer(w, tiny_op_name((int)N(0, 1)));
}
static void call_tiny_warp_units(world *w) {
  (void)w;
  give_pointer(w, tiny_warp_units(T("a"), w->ints));
}
static void call_tiny_compiler_of(world *w) {
  (void)w;
  give_pointer(w, tiny_compiler_of(w->t));
}
static void call_tiny_renderer_of_language(world *w) {
  (void)w;
  tiny_renderer a0;
  memset(&a0, 0, sizeof a0);
  tiny_renderer_of_language(&a0);
}
static void call_tiny_backend_named(world *w) {
  (void)w;
  give_pointer(w, tiny_backend_named(T("a")));
}
static void call_tiny_program_save(world *w) {
  (void)w;
  tiny_ship_desc a2;
  memset(&a2, 0, sizeof a2);
  a2.tensors = L(0);
  a2.n = 2;
  a2.names = the_names;
  give_code(w, tiny_program_save(the_program(w), P("build/api_calls.npz"), &a2));
}
static void call_tiny_program_save_to(world *w) {
  (void)w;
  tiny_ship_desc a2;
  memset(&a2, 0, sizeof a2);
  a2.tensors = L(0);
  a2.n = 2;
  a2.names = the_names;
  give_code(w, tiny_program_save_to(the_program(w), the_writer(), &a2));
}
static void call_tiny_program_load(world *w) {
  (void)w;
  tiny_program_source a1;
  memset(&a1, 0, sizeof a1);
  give_pointer(w, tiny_program_load(w->t, &a1));
}
static void call_tiny_program_memory(world *w) {
  (void)w;
  tiny_dtype a2;
  memset(&a2, 0, sizeof a2);
  give_pointer(w, tiny_program_memory(the_program(w), (int)N(0, 1), &a2, w->longs));
}
static void call_tiny_program_read(world *w) {
  (void)w;
  give_code(w, tiny_program_read(the_program(w), T("a"), w->bytes, (size_t)N(0, 1)));
}
static void call_tiny_program_write(world *w) {
  (void)w;
  give_code(w, tiny_program_write(the_program(w), T("a"), w->bytes, (size_t)N(0, 1)));
}
static void call_tiny_program_export_c(world *w) {
  (void)w;
  tiny_export_desc a2;
  memset(&a2, 0, sizeof a2);
  a2.tensors = L(0);
  a2.n = 2;
  a2.names = the_names;
  give_code(w, tiny_program_export_c(the_program(w), P("build/api_calls.npz"), &a2));
}
static void call_tiny_program_export_c_to(world *w) {
  (void)w;
  tiny_export_desc a2;
  memset(&a2, 0, sizeof a2);
  a2.tensors = L(0);
  a2.n = 2;
  a2.names = the_names;
  give_code(w, tiny_program_export_c_to(the_program(w), the_writer(), &a2));
}
static void call_tiny_label(world *w) {
  (void)w;
  give_tensor(w, tiny_label(H(0), T("a")));
}
static void call_tiny_label_of(world *w) {
  (void)w;
  give_pointer(w, tiny_label_of(H(0)));
}
static void call_tiny_scope_begin(world *w) {
  (void)w;
  give_code(w, tiny_scope_begin(w->t, T("a")));
}
static void call_tiny_scope_end(world *w) {
  (void)w;
  give_code(w, tiny_scope_end(w->t));
}
static void call_tiny_profile_begin(world *w) {
  (void)w;
  give_code(w, tiny_profile_begin(w->t));
}
static void call_tiny_profile_get(world *w) {
  (void)w;
  tiny_profile_row a3;
  memset(&a3, 0, sizeof a3);
  give_number(w, tiny_profile_get(w->t, (tiny_profile_by)N(0, 0), (int)N(1, 1), &a3));
}
static void call_tiny_profile_text(world *w) {
  (void)w;
  (void)tiny_profile_text(w->t, (tiny_profile_by)N(0, 0), (char *)w->bytes, (size_t)N(1, 1));
}
static void call_tiny_program_summary(world *w) {
  (void)w;
  (void)tiny_program_summary(the_program(w), (char *)w->bytes, (size_t)N(0, 1));
}
// tensors, owners of tensors, numbers, rooms for results
static const struct api_call { const char *name; void (*call)(world *w); int handles, owners, numbers, rooms; } api_calls[] = {
  {"tiny_code_name", call_tiny_code_name, 0, 0, 1, 0},
  {"tiny_dtype_nbytes", call_tiny_dtype_nbytes, 0, 0, 1, 0},
  {"tiny_dtype_name", call_tiny_dtype_name, 0, 0, 1, 0},
  {"tiny_promote", call_tiny_promote, 0, 0, 2, 0},
  {"tiny_error", call_tiny_error, 0, 1, 0, 0},
  {"tiny_status", call_tiny_status, 0, 1, 0, 0},
  {"tiny_clear", call_tiny_clear, 0, 1, 0, 0},
  {"tiny_begin", call_tiny_begin, 0, 1, 0, 0},
  {"tiny_end", call_tiny_end, 0, 1, 0, 0},
  {"tiny_keep", call_tiny_keep, 1, 0, 0, 0},
  {"tiny_free", call_tiny_free, 1, 0, 0, 0},
  {"tiny_stats_of", call_tiny_stats_of, 0, 1, 0, 0},
  {"tiny_from", call_tiny_from, 0, 1, 1, 0},
  {"tiny_blob", call_tiny_blob, 0, 1, 1, 0},
  {"tiny_blob_of", call_tiny_blob_of, 0, 1, 1, 0},
  {"tiny_scalar", call_tiny_scalar, 0, 1, 1, 0},
  {"tiny_length", call_tiny_length, 0, 1, 3, 0},
  {"tiny_read", call_tiny_read, 1, 0, 1, 0},
  {"tiny_write", call_tiny_write, 1, 0, 1, 0},
  {"tiny_realize", call_tiny_realize, 2, 0, 1, 0},
  {"tiny_reference", call_tiny_reference, 1, 0, 1, 0},
  {"tiny_item", call_tiny_item, 1, 0, 0, 0},
  {"tiny_item_i64", call_tiny_item_i64, 1, 0, 0, 0},
  {"tiny_shape_of", call_tiny_shape_of, 1, 0, 0, 0},
  {"tiny_shape_now", call_tiny_shape_now, 1, 0, 0, 0},
  {"tiny_dtype_of", call_tiny_dtype_of, 1, 0, 0, 0},
  {"tiny_nelem_of", call_tiny_nelem_of, 1, 0, 0, 0},
  {"tiny_ok", call_tiny_ok, 1, 0, 0, 0},
  {"tiny_ctx_of", call_tiny_ctx_of, 1, 0, 0, 0},
  {"tiny_assign", call_tiny_assign, 2, 0, 0, 0},
  {"tiny_clone", call_tiny_clone, 1, 0, 0, 0},
  {"tiny_contiguous", call_tiny_contiguous, 1, 0, 0, 0},
  {"tiny_detach", call_tiny_detach, 1, 0, 0, 0},
  {"tiny_cast", call_tiny_cast, 1, 0, 1, 0},
  {"tiny_bitcast", call_tiny_bitcast, 1, 0, 1, 0},
  {"tiny_device_count", call_tiny_device_count, 0, 1, 0, 0},
  {"tiny_device_name", call_tiny_device_name, 0, 1, 1, 0},
  {"tiny_device_handle", call_tiny_device_handle, 0, 1, 1, 0},
  {"tiny_device_stats", call_tiny_device_stats, 0, 1, 1, 0},
  {"tiny_use_device", call_tiny_use_device, 0, 1, 1, 0},
  {"tiny_sync", call_tiny_sync, 0, 1, 0, 0},
  {"tiny_to", call_tiny_to, 1, 0, 1, 0},
  {"tiny_device_of", call_tiny_device_of, 1, 0, 0, 0},
  {"tiny_shard", call_tiny_shard, 1, 0, 2, 0},
  {"tiny_replicate", call_tiny_replicate, 1, 0, 1, 0},
  {"tiny_shard_part", call_tiny_shard_part, 1, 0, 1, 0},
  {"tiny_shard_count", call_tiny_shard_count, 1, 0, 0, 0},
  {"tiny_shard_axis", call_tiny_shard_axis, 1, 0, 0, 0},
  {"tiny_full", call_tiny_full, 0, 1, 1, 0},
  {"tiny_zeros", call_tiny_zeros, 0, 1, 1, 0},
  {"tiny_ones", call_tiny_ones, 0, 1, 1, 0},
  {"tiny_full_like", call_tiny_full_like, 1, 0, 0, 0},
  {"tiny_zeros_like", call_tiny_zeros_like, 1, 0, 0, 0},
  {"tiny_ones_like", call_tiny_ones_like, 1, 0, 0, 0},
  {"tiny_like", call_tiny_like, 1, 0, 0, 0},
  {"tiny_arange", call_tiny_arange, 0, 1, 1, 0},
  {"tiny_linspace", call_tiny_linspace, 0, 1, 2, 0},
  {"tiny_logspace", call_tiny_logspace, 0, 1, 2, 0},
  {"tiny_eye", call_tiny_eye, 0, 1, 2, 0},
  {"tiny_eye_nm", call_tiny_eye_nm, 0, 1, 4, 0},
  {"tiny_tri", call_tiny_tri, 0, 1, 4, 0},
  {"tiny_tril", call_tiny_tril, 1, 0, 1, 0},
  {"tiny_triu", call_tiny_triu, 1, 0, 1, 0},
  {"tiny_seed", call_tiny_seed, 0, 1, 1, 0},
  {"tiny_rand", call_tiny_rand, 0, 1, 0, 0},
  {"tiny_randn", call_tiny_randn, 0, 1, 0, 0},
  {"tiny_rand_like", call_tiny_rand_like, 1, 0, 0, 0},
  {"tiny_randn_like", call_tiny_randn_like, 1, 0, 0, 0},
  {"tiny_uniform", call_tiny_uniform, 0, 1, 1, 0},
  {"tiny_normal", call_tiny_normal, 0, 1, 1, 0},
  {"tiny_randint", call_tiny_randint, 0, 1, 3, 0},
  {"tiny_randperm", call_tiny_randperm, 0, 1, 1, 0},
  {"tiny_bernoulli", call_tiny_bernoulli, 1, 0, 0, 0},
  {"tiny_multinomial", call_tiny_multinomial, 1, 0, 2, 0},
  {"tiny_xavier_uniform", call_tiny_xavier_uniform, 0, 1, 0, 0},
  {"tiny_xavier_normal", call_tiny_xavier_normal, 0, 1, 0, 0},
  {"tiny_kaiming_uniform", call_tiny_kaiming_uniform, 0, 1, 0, 0},
  {"tiny_kaiming_normal", call_tiny_kaiming_normal, 0, 1, 0, 0},
  {"tiny_dropout", call_tiny_dropout, 1, 0, 1, 0},
  {"tiny_reshape", call_tiny_reshape, 1, 0, 0, 0},
  {"tiny_flatten", call_tiny_flatten, 1, 0, 2, 0},
  {"tiny_unflatten", call_tiny_unflatten, 1, 0, 1, 0},
  {"tiny_squeeze", call_tiny_squeeze, 1, 0, 1, 0},
  {"tiny_unsqueeze", call_tiny_unsqueeze, 1, 0, 1, 0},
  {"tiny_permute", call_tiny_permute, 1, 0, 0, 0},
  {"tiny_transpose", call_tiny_transpose, 1, 0, 2, 0},
  {"tiny_movedim", call_tiny_movedim, 1, 0, 2, 0},
  {"tiny_expand", call_tiny_expand, 1, 0, 0, 0},
  {"tiny_expand_as", call_tiny_expand_as, 2, 0, 0, 0},
  {"tiny_tile", call_tiny_tile, 1, 0, 0, 0},
  {"tiny_repeat", call_tiny_repeat, 1, 0, 0, 0},
  {"tiny_repeat_interleave", call_tiny_repeat_interleave, 1, 0, 2, 0},
  {"tiny_flip", call_tiny_flip, 1, 0, 0, 0},
  {"tiny_roll", call_tiny_roll, 1, 0, 0, 0},
  {"tiny_rot90", call_tiny_rot90, 1, 0, 3, 0},
  {"tiny_shrink", call_tiny_shrink, 1, 0, 0, 0},
  {"tiny_slice", call_tiny_slice, 1, 0, 4, 0},
  {"tiny_slice_to", call_tiny_slice_to, 2, 0, 1, 0},
  {"tiny_with_length", call_tiny_with_length, 2, 0, 1, 0},
  {"tiny_whole", call_tiny_whole, 1, 0, 1, 0},
  {"tiny_length_of", call_tiny_length_of, 1, 0, 1, 0},
  {"tiny_mask_to", call_tiny_mask_to, 2, 0, 1, 0},
  {"tiny_slice_at", call_tiny_slice_at, 2, 0, 2, 0},
  {"tiny_narrow", call_tiny_narrow, 1, 0, 3, 0},
  {"tiny_select", call_tiny_select, 1, 0, 2, 0},
  {"tiny_sliding_window", call_tiny_sliding_window, 1, 0, 3, 0},
  {"tiny_diagonal", call_tiny_diagonal, 1, 0, 3, 0},
  {"tiny_diag_embed", call_tiny_diag_embed, 1, 0, 3, 0},
  {"tiny_diag", call_tiny_diag, 1, 0, 1, 0},
  {"tiny_split", call_tiny_split, 1, 0, 3, 1},
  {"tiny_split_sizes", call_tiny_split_sizes, 1, 0, 2, 1},
  {"tiny_chunk", call_tiny_chunk, 1, 0, 2, 1},
  {"tiny_unbind", call_tiny_unbind, 1, 0, 2, 1},
  {"tiny_meshgrid", call_tiny_meshgrid, 2, 0, 2, 1},
  {"tiny_select_scatter", call_tiny_select_scatter, 2, 0, 2, 0},
  {"tiny_slice_scatter", call_tiny_slice_scatter, 2, 0, 4, 0},
  {"tiny_diagonal_scatter", call_tiny_diagonal_scatter, 2, 0, 3, 0},
  {"tiny_cat", call_tiny_cat, 2, 0, 2, 0},
  {"tiny_stack", call_tiny_stack, 2, 0, 2, 0},
  {"tiny_pad", call_tiny_pad, 1, 0, 0, 0},
  {"tiny_pad_mode", call_tiny_pad_mode, 1, 0, 1, 0},
  {"tiny_add", call_tiny_add, 2, 0, 0, 0},
  {"tiny_sub", call_tiny_sub, 2, 0, 0, 0},
  {"tiny_mul", call_tiny_mul, 2, 0, 0, 0},
  {"tiny_div", call_tiny_div, 2, 0, 0, 0},
  {"tiny_floor_div", call_tiny_floor_div, 2, 0, 0, 0},
  {"tiny_trunc_div", call_tiny_trunc_div, 2, 0, 0, 0},
  {"tiny_remainder", call_tiny_remainder, 2, 0, 0, 0},
  {"tiny_fmod", call_tiny_fmod, 2, 0, 0, 0},
  {"tiny_pow", call_tiny_pow, 2, 0, 0, 0},
  {"tiny_maximum", call_tiny_maximum, 2, 0, 0, 0},
  {"tiny_minimum", call_tiny_minimum, 2, 0, 0, 0},
  {"tiny_fmax", call_tiny_fmax, 2, 0, 0, 0},
  {"tiny_fmin", call_tiny_fmin, 2, 0, 0, 0},
  {"tiny_lt", call_tiny_lt, 2, 0, 0, 0},
  {"tiny_gt", call_tiny_gt, 2, 0, 0, 0},
  {"tiny_le", call_tiny_le, 2, 0, 0, 0},
  {"tiny_ge", call_tiny_ge, 2, 0, 0, 0},
  {"tiny_eq", call_tiny_eq, 2, 0, 0, 0},
  {"tiny_ne", call_tiny_ne, 2, 0, 0, 0},
  {"tiny_add_scalar", call_tiny_add_scalar, 1, 0, 0, 0},
  {"tiny_sub_scalar", call_tiny_sub_scalar, 1, 0, 0, 0},
  {"tiny_rsub_scalar", call_tiny_rsub_scalar, 1, 0, 0, 0},
  {"tiny_mul_scalar", call_tiny_mul_scalar, 1, 0, 0, 0},
  {"tiny_div_scalar", call_tiny_div_scalar, 1, 0, 0, 0},
  {"tiny_rdiv_scalar", call_tiny_rdiv_scalar, 1, 0, 0, 0},
  {"tiny_floor_div_scalar", call_tiny_floor_div_scalar, 1, 0, 0, 0},
  {"tiny_rfloor_div_scalar", call_tiny_rfloor_div_scalar, 1, 0, 0, 0},
  {"tiny_remainder_scalar", call_tiny_remainder_scalar, 1, 0, 0, 0},
  {"tiny_rremainder_scalar", call_tiny_rremainder_scalar, 1, 0, 0, 0},
  {"tiny_pow_scalar", call_tiny_pow_scalar, 1, 0, 0, 0},
  {"tiny_rpow_scalar", call_tiny_rpow_scalar, 1, 0, 0, 0},
  {"tiny_maximum_scalar", call_tiny_maximum_scalar, 1, 0, 0, 0},
  {"tiny_minimum_scalar", call_tiny_minimum_scalar, 1, 0, 0, 0},
  {"tiny_lt_scalar", call_tiny_lt_scalar, 1, 0, 0, 0},
  {"tiny_gt_scalar", call_tiny_gt_scalar, 1, 0, 0, 0},
  {"tiny_le_scalar", call_tiny_le_scalar, 1, 0, 0, 0},
  {"tiny_ge_scalar", call_tiny_ge_scalar, 1, 0, 0, 0},
  {"tiny_eq_scalar", call_tiny_eq_scalar, 1, 0, 0, 0},
  {"tiny_ne_scalar", call_tiny_ne_scalar, 1, 0, 0, 0},
  {"tiny_isclose", call_tiny_isclose, 2, 0, 1, 0},
  {"tiny_allclose", call_tiny_allclose, 2, 0, 1, 0},
  {"tiny_logical_and", call_tiny_logical_and, 2, 0, 0, 0},
  {"tiny_logical_or", call_tiny_logical_or, 2, 0, 0, 0},
  {"tiny_logical_xor", call_tiny_logical_xor, 2, 0, 0, 0},
  {"tiny_logical_not", call_tiny_logical_not, 1, 0, 0, 0},
  {"tiny_bitwise_and", call_tiny_bitwise_and, 2, 0, 0, 0},
  {"tiny_bitwise_or", call_tiny_bitwise_or, 2, 0, 0, 0},
  {"tiny_bitwise_xor", call_tiny_bitwise_xor, 2, 0, 0, 0},
  {"tiny_bitwise_not", call_tiny_bitwise_not, 1, 0, 0, 0},
  {"tiny_shift_left", call_tiny_shift_left, 2, 0, 0, 0},
  {"tiny_shift_right", call_tiny_shift_right, 2, 0, 0, 0},
  {"tiny_gcd", call_tiny_gcd, 2, 0, 0, 0},
  {"tiny_lcm", call_tiny_lcm, 2, 0, 0, 0},
  {"tiny_where", call_tiny_where, 3, 0, 0, 0},
  {"tiny_clamp", call_tiny_clamp, 1, 0, 0, 0},
  {"tiny_clamp_to", call_tiny_clamp_to, 3, 0, 0, 0},
  {"tiny_lerp", call_tiny_lerp, 3, 0, 0, 0},
  {"tiny_addcmul", call_tiny_addcmul, 3, 0, 0, 0},
  {"tiny_addcdiv", call_tiny_addcdiv, 3, 0, 0, 0},
  {"tiny_neg", call_tiny_neg, 1, 0, 0, 0},
  {"tiny_abs", call_tiny_abs, 1, 0, 0, 0},
  {"tiny_sign", call_tiny_sign, 1, 0, 0, 0},
  {"tiny_square", call_tiny_square, 1, 0, 0, 0},
  {"tiny_trunc", call_tiny_trunc, 1, 0, 0, 0},
  {"tiny_floor", call_tiny_floor, 1, 0, 0, 0},
  {"tiny_ceil", call_tiny_ceil, 1, 0, 0, 0},
  {"tiny_round", call_tiny_round, 1, 0, 0, 0},
  {"tiny_round_to", call_tiny_round_to, 1, 0, 1, 0},
  {"tiny_frac", call_tiny_frac, 1, 0, 0, 0},
  {"tiny_copysign", call_tiny_copysign, 2, 0, 0, 0},
  {"tiny_heaviside", call_tiny_heaviside, 2, 0, 0, 0},
  {"tiny_nan_to_num", call_tiny_nan_to_num, 1, 0, 0, 0},
  {"tiny_isnan", call_tiny_isnan, 1, 0, 0, 0},
  {"tiny_isinf", call_tiny_isinf, 1, 0, 0, 0},
  {"tiny_isposinf", call_tiny_isposinf, 1, 0, 0, 0},
  {"tiny_isneginf", call_tiny_isneginf, 1, 0, 0, 0},
  {"tiny_isfinite", call_tiny_isfinite, 1, 0, 0, 0},
  {"tiny_signbit", call_tiny_signbit, 1, 0, 0, 0},
  {"tiny_sqrt", call_tiny_sqrt, 1, 0, 0, 0},
  {"tiny_rsqrt", call_tiny_rsqrt, 1, 0, 0, 0},
  {"tiny_cbrt", call_tiny_cbrt, 1, 0, 0, 0},
  {"tiny_reciprocal", call_tiny_reciprocal, 1, 0, 0, 0},
  {"tiny_exp", call_tiny_exp, 1, 0, 0, 0},
  {"tiny_exp2", call_tiny_exp2, 1, 0, 0, 0},
  {"tiny_expm1", call_tiny_expm1, 1, 0, 0, 0},
  {"tiny_log", call_tiny_log, 1, 0, 0, 0},
  {"tiny_log2", call_tiny_log2, 1, 0, 0, 0},
  {"tiny_log10", call_tiny_log10, 1, 0, 0, 0},
  {"tiny_log1p", call_tiny_log1p, 1, 0, 0, 0},
  {"tiny_sin", call_tiny_sin, 1, 0, 0, 0},
  {"tiny_cos", call_tiny_cos, 1, 0, 0, 0},
  {"tiny_tan", call_tiny_tan, 1, 0, 0, 0},
  {"tiny_asin", call_tiny_asin, 1, 0, 0, 0},
  {"tiny_acos", call_tiny_acos, 1, 0, 0, 0},
  {"tiny_atan", call_tiny_atan, 1, 0, 0, 0},
  {"tiny_atan2", call_tiny_atan2, 2, 0, 0, 0},
  {"tiny_sinh", call_tiny_sinh, 1, 0, 0, 0},
  {"tiny_cosh", call_tiny_cosh, 1, 0, 0, 0},
  {"tiny_tanh", call_tiny_tanh, 1, 0, 0, 0},
  {"tiny_asinh", call_tiny_asinh, 1, 0, 0, 0},
  {"tiny_acosh", call_tiny_acosh, 1, 0, 0, 0},
  {"tiny_atanh", call_tiny_atanh, 1, 0, 0, 0},
  {"tiny_hypot", call_tiny_hypot, 2, 0, 0, 0},
  {"tiny_logaddexp", call_tiny_logaddexp, 2, 0, 0, 0},
  {"tiny_logaddexp2", call_tiny_logaddexp2, 2, 0, 0, 0},
  {"tiny_xlogy", call_tiny_xlogy, 2, 0, 0, 0},
  {"tiny_xlog1py", call_tiny_xlog1py, 2, 0, 0, 0},
  {"tiny_logit", call_tiny_logit, 1, 0, 0, 0},
  {"tiny_sinc", call_tiny_sinc, 1, 0, 0, 0},
  {"tiny_deg2rad", call_tiny_deg2rad, 1, 0, 0, 0},
  {"tiny_rad2deg", call_tiny_rad2deg, 1, 0, 0, 0},
  {"tiny_erf", call_tiny_erf, 1, 0, 0, 0},
  {"tiny_erfc", call_tiny_erfc, 1, 0, 0, 0},
  {"tiny_erfinv", call_tiny_erfinv, 1, 0, 0, 0},
  {"tiny_lgamma", call_tiny_lgamma, 1, 0, 0, 0},
  {"tiny_digamma", call_tiny_digamma, 1, 0, 0, 0},
  {"tiny_polygamma", call_tiny_polygamma, 1, 0, 1, 0},
  {"tiny_i0", call_tiny_i0, 1, 0, 0, 0},
  {"tiny_i0e", call_tiny_i0e, 1, 0, 0, 0},
  {"tiny_i1", call_tiny_i1, 1, 0, 0, 0},
  {"tiny_i1e", call_tiny_i1e, 1, 0, 0, 0},
  {"tiny_igamma", call_tiny_igamma, 2, 0, 0, 0},
  {"tiny_igammac", call_tiny_igammac, 2, 0, 0, 0},
  {"tiny_relu", call_tiny_relu, 1, 0, 0, 0},
  {"tiny_relu6", call_tiny_relu6, 1, 0, 0, 0},
  {"tiny_sigmoid", call_tiny_sigmoid, 1, 0, 0, 0},
  {"tiny_silu", call_tiny_silu, 1, 0, 0, 0},
  {"tiny_mish", call_tiny_mish, 1, 0, 0, 0},
  {"tiny_gelu", call_tiny_gelu, 1, 0, 0, 0},
  {"tiny_gelu_tanh", call_tiny_gelu_tanh, 1, 0, 0, 0},
  {"tiny_elu", call_tiny_elu, 1, 0, 0, 0},
  {"tiny_selu", call_tiny_selu, 1, 0, 0, 0},
  {"tiny_celu", call_tiny_celu, 1, 0, 0, 0},
  {"tiny_leaky_relu", call_tiny_leaky_relu, 1, 0, 0, 0},
  {"tiny_prelu", call_tiny_prelu, 2, 0, 0, 0},
  {"tiny_rrelu", call_tiny_rrelu, 1, 0, 0, 0},
  {"tiny_hardtanh", call_tiny_hardtanh, 1, 0, 0, 0},
  {"tiny_hardsigmoid", call_tiny_hardsigmoid, 1, 0, 0, 0},
  {"tiny_hardswish", call_tiny_hardswish, 1, 0, 0, 0},
  {"tiny_threshold", call_tiny_threshold, 1, 0, 0, 0},
  {"tiny_hardshrink", call_tiny_hardshrink, 1, 0, 0, 0},
  {"tiny_softshrink", call_tiny_softshrink, 1, 0, 0, 0},
  {"tiny_tanhshrink", call_tiny_tanhshrink, 1, 0, 0, 0},
  {"tiny_softsign", call_tiny_softsign, 1, 0, 0, 0},
  {"tiny_softplus", call_tiny_softplus, 1, 0, 0, 0},
  {"tiny_logsigmoid", call_tiny_logsigmoid, 1, 0, 0, 0},
  {"tiny_glu", call_tiny_glu, 1, 0, 1, 0},
  {"tiny_sum", call_tiny_sum, 1, 0, 2, 0},
  {"tiny_prod", call_tiny_prod, 1, 0, 2, 0},
  {"tiny_amax", call_tiny_amax, 1, 0, 2, 0},
  {"tiny_amin", call_tiny_amin, 1, 0, 2, 0},
  {"tiny_aminmax", call_tiny_aminmax, 1, 0, 2, 1},
  {"tiny_mean", call_tiny_mean, 1, 0, 2, 0},
  {"tiny_var", call_tiny_var, 1, 0, 3, 0},
  {"tiny_std", call_tiny_std, 1, 0, 3, 0},
  {"tiny_var_mean", call_tiny_var_mean, 1, 0, 3, 1},
  {"tiny_std_mean", call_tiny_std_mean, 1, 0, 3, 1},
  {"tiny_nansum", call_tiny_nansum, 1, 0, 2, 0},
  {"tiny_nanmean", call_tiny_nanmean, 1, 0, 2, 0},
  {"tiny_any", call_tiny_any, 1, 0, 2, 0},
  {"tiny_all", call_tiny_all, 1, 0, 2, 0},
  {"tiny_count_nonzero", call_tiny_count_nonzero, 1, 0, 2, 0},
  {"tiny_norm", call_tiny_norm, 1, 0, 2, 0},
  {"tiny_renorm", call_tiny_renorm, 1, 0, 1, 0},
  {"tiny_dist", call_tiny_dist, 2, 0, 0, 0},
  {"tiny_reduce", call_tiny_reduce, 1, 0, 2, 0},
  {"tiny_argmax", call_tiny_argmax, 1, 0, 2, 0},
  {"tiny_argmin", call_tiny_argmin, 1, 0, 2, 0},
  {"tiny_max", call_tiny_max, 1, 0, 2, 1},
  {"tiny_min", call_tiny_min, 1, 0, 2, 1},
  {"tiny_cumsum", call_tiny_cumsum, 1, 0, 1, 0},
  {"tiny_cumprod", call_tiny_cumprod, 1, 0, 1, 0},
  {"tiny_logcumsumexp", call_tiny_logcumsumexp, 1, 0, 1, 0},
  {"tiny_cummax", call_tiny_cummax, 1, 0, 1, 1},
  {"tiny_cummin", call_tiny_cummin, 1, 0, 1, 1},
  {"tiny_diff", call_tiny_diff, 3, 0, 2, 0},
  {"tiny_trapezoid", call_tiny_trapezoid, 2, 0, 1, 0},
  {"tiny_cumulative_trapezoid", call_tiny_cumulative_trapezoid, 2, 0, 1, 0},
  {"tiny_one_hot", call_tiny_one_hot, 1, 0, 1, 0},
  {"tiny_gather", call_tiny_gather, 2, 0, 1, 0},
  {"tiny_take_along_axis", call_tiny_take_along_axis, 2, 0, 1, 0},
  {"tiny_index_select", call_tiny_index_select, 2, 0, 1, 0},
  {"tiny_take", call_tiny_take, 2, 0, 0, 0},
  {"tiny_index", call_tiny_index, 3, 0, 1, 0},
  {"tiny_scatter", call_tiny_scatter, 3, 0, 1, 0},
  {"tiny_scatter_add", call_tiny_scatter_add, 3, 0, 1, 0},
  {"tiny_scatter_reduce", call_tiny_scatter_reduce, 3, 0, 3, 0},
  {"tiny_index_add", call_tiny_index_add, 3, 0, 1, 0},
  {"tiny_index_copy", call_tiny_index_copy, 3, 0, 1, 0},
  {"tiny_index_reduce", call_tiny_index_reduce, 3, 0, 3, 0},
  {"tiny_index_fill", call_tiny_index_fill, 2, 0, 1, 0},
  {"tiny_put", call_tiny_put, 3, 0, 1, 0},
  {"tiny_index_put", call_tiny_index_put, 4, 0, 2, 0},
  {"tiny_masked_fill", call_tiny_masked_fill, 2, 0, 0, 0},
  {"tiny_masked_select", call_tiny_masked_select, 2, 0, 0, 0},
  {"tiny_repeat_interleave_by", call_tiny_repeat_interleave_by, 2, 0, 1, 0},
  {"tiny_masked_scatter", call_tiny_masked_scatter, 3, 0, 0, 0},
  {"tiny_nonzero", call_tiny_nonzero, 1, 0, 0, 0},
  {"tiny_bincount", call_tiny_bincount, 2, 0, 1, 0},
  {"tiny_histc", call_tiny_histc, 1, 0, 1, 0},
  {"tiny_sort", call_tiny_sort, 1, 0, 2, 1},
  {"tiny_argsort", call_tiny_argsort, 1, 0, 2, 0},
  {"tiny_topk", call_tiny_topk, 1, 0, 3, 1},
  {"tiny_kthvalue", call_tiny_kthvalue, 1, 0, 3, 1},
  {"tiny_median", call_tiny_median, 1, 0, 2, 1},
  {"tiny_nanmedian", call_tiny_nanmedian, 1, 0, 2, 1},
  {"tiny_quantile", call_tiny_quantile, 2, 0, 2, 0},
  {"tiny_nanquantile", call_tiny_nanquantile, 2, 0, 2, 0},
  {"tiny_quantile_by", call_tiny_quantile_by, 2, 0, 3, 0},
  {"tiny_nanquantile_by", call_tiny_nanquantile_by, 2, 0, 3, 0},
  {"tiny_mode", call_tiny_mode, 1, 0, 2, 1},
  {"tiny_unique", call_tiny_unique, 1, 0, 0, 2},
  {"tiny_unique_consecutive", call_tiny_unique_consecutive, 1, 0, 0, 2},
  {"tiny_unique_along", call_tiny_unique_along, 1, 0, 1, 2},
  {"tiny_unique_consecutive_along", call_tiny_unique_consecutive_along, 1, 0, 1, 2},
  {"tiny_searchsorted", call_tiny_searchsorted, 2, 0, 1, 0},
  {"tiny_bucketize", call_tiny_bucketize, 2, 0, 1, 0},
  {"tiny_histogram", call_tiny_histogram, 3, 0, 1, 0},
  {"tiny_histogram_bins", call_tiny_histogram_bins, 2, 0, 2, 1},
  {"tiny_isin", call_tiny_isin, 2, 0, 0, 0},
  {"tiny_matmul", call_tiny_matmul, 2, 0, 0, 0},
  {"tiny_linear", call_tiny_linear, 3, 0, 0, 0},
  {"tiny_dot", call_tiny_dot, 2, 0, 0, 0},
  {"tiny_vdot", call_tiny_vdot, 2, 0, 0, 0},
  {"tiny_vecdot", call_tiny_vecdot, 2, 0, 1, 0},
  {"tiny_inner", call_tiny_inner, 2, 0, 0, 0},
  {"tiny_outer", call_tiny_outer, 2, 0, 0, 0},
  {"tiny_kron", call_tiny_kron, 2, 0, 0, 0},
  {"tiny_tensordot", call_tiny_tensordot, 2, 0, 0, 0},
  {"tiny_multi_dot", call_tiny_multi_dot, 2, 0, 1, 0},
  {"tiny_einsum", call_tiny_einsum, 2, 0, 1, 0},
  {"tiny_trace", call_tiny_trace, 1, 0, 0, 0},
  {"tiny_cross", call_tiny_cross, 2, 0, 1, 0},
  {"tiny_cdist", call_tiny_cdist, 2, 0, 0, 0},
  {"tiny_det", call_tiny_det, 1, 0, 0, 0},
  {"tiny_slogdet", call_tiny_slogdet, 1, 0, 0, 1},
  {"tiny_inv", call_tiny_inv, 1, 0, 0, 0},
  {"tiny_solve", call_tiny_solve, 2, 0, 0, 0},
  {"tiny_triangular_solve", call_tiny_triangular_solve, 2, 0, 2, 0},
  {"tiny_cholesky", call_tiny_cholesky, 1, 0, 1, 0},
  {"tiny_lu", call_tiny_lu, 1, 0, 0, 2},
  {"tiny_qr", call_tiny_qr, 1, 0, 1, 1},
  {"tiny_svd", call_tiny_svd, 1, 0, 0, 2},
  {"tiny_eigh", call_tiny_eigh, 1, 0, 0, 1},
  {"tiny_lu_solve", call_tiny_lu_solve, 4, 0, 0, 0},
  {"tiny_cholesky_solve", call_tiny_cholesky_solve, 2, 0, 1, 0},
  {"tiny_pinv", call_tiny_pinv, 1, 0, 0, 0},
  {"tiny_pinv_within", call_tiny_pinv_within, 1, 0, 0, 0},
  {"tiny_lstsq", call_tiny_lstsq, 2, 0, 0, 0},
  {"tiny_matrix_rank", call_tiny_matrix_rank, 1, 0, 0, 0},
  {"tiny_matrix_rank_within", call_tiny_matrix_rank_within, 1, 0, 0, 0},
  {"tiny_matrix_norm", call_tiny_matrix_norm, 1, 0, 1, 0},
  {"tiny_cond", call_tiny_cond, 1, 0, 1, 0},
  {"tiny_matrix_power", call_tiny_matrix_power, 1, 0, 1, 0},
  {"tiny_matrix_exp", call_tiny_matrix_exp, 1, 0, 0, 0},
  {"tiny_cov", call_tiny_cov, 3, 0, 1, 0},
  {"tiny_corrcoef", call_tiny_corrcoef, 1, 0, 0, 0},
  {"tiny_fft", call_tiny_fft, 1, 0, 3, 0},
  {"tiny_ifft", call_tiny_ifft, 1, 0, 3, 0},
  {"tiny_rfft", call_tiny_rfft, 1, 0, 3, 0},
  {"tiny_irfft", call_tiny_irfft, 1, 0, 3, 0},
  {"tiny_fftn", call_tiny_fftn, 1, 0, 1, 0},
  {"tiny_ifftn", call_tiny_ifftn, 1, 0, 1, 0},
  {"tiny_rfftn", call_tiny_rfftn, 1, 0, 1, 0},
  {"tiny_irfftn", call_tiny_irfftn, 1, 0, 2, 0},
  {"tiny_fftshift", call_tiny_fftshift, 1, 0, 0, 0},
  {"tiny_ifftshift", call_tiny_ifftshift, 1, 0, 0, 0},
  {"tiny_fftfreq", call_tiny_fftfreq, 0, 1, 2, 0},
  {"tiny_rfftfreq", call_tiny_rfftfreq, 0, 1, 2, 0},
  {"tiny_stft", call_tiny_stft, 2, 0, 1, 0},
  {"tiny_istft", call_tiny_istft, 2, 0, 1, 0},
  {"tiny_complex", call_tiny_complex, 2, 0, 0, 0},
  {"tiny_polar", call_tiny_polar, 2, 0, 0, 0},
  {"tiny_real", call_tiny_real, 1, 0, 0, 0},
  {"tiny_imag", call_tiny_imag, 1, 0, 0, 0},
  {"tiny_conj", call_tiny_conj, 1, 0, 0, 0},
  {"tiny_complex_mul", call_tiny_complex_mul, 2, 0, 0, 0},
  {"tiny_complex_abs", call_tiny_complex_abs, 1, 0, 0, 0},
  {"tiny_softmax", call_tiny_softmax, 1, 0, 1, 0},
  {"tiny_log_softmax", call_tiny_log_softmax, 1, 0, 1, 0},
  {"tiny_softmin", call_tiny_softmin, 1, 0, 1, 0},
  {"tiny_logsumexp", call_tiny_logsumexp, 1, 0, 2, 0},
  {"tiny_gumbel_softmax", call_tiny_gumbel_softmax, 1, 0, 2, 0},
  {"tiny_layer_norm", call_tiny_layer_norm, 3, 0, 1, 0},
  {"tiny_rms_norm", call_tiny_rms_norm, 2, 0, 1, 0},
  {"tiny_group_norm", call_tiny_group_norm, 3, 0, 1, 0},
  {"tiny_instance_norm", call_tiny_instance_norm, 3, 0, 0, 0},
  {"tiny_batch_norm", call_tiny_batch_norm, 5, 0, 1, 0},
  {"tiny_local_response_norm", call_tiny_local_response_norm, 1, 0, 1, 0},
  {"tiny_normalize", call_tiny_normalize, 1, 0, 1, 0},
  {"tiny_cosine_similarity", call_tiny_cosine_similarity, 2, 0, 1, 0},
  {"tiny_pairwise_distance", call_tiny_pairwise_distance, 2, 0, 1, 0},
  {"tiny_bilinear", call_tiny_bilinear, 4, 0, 0, 0},
  {"tiny_mse_loss", call_tiny_mse_loss, 2, 0, 1, 0},
  {"tiny_l1_loss", call_tiny_l1_loss, 2, 0, 1, 0},
  {"tiny_smooth_l1_loss", call_tiny_smooth_l1_loss, 2, 0, 1, 0},
  {"tiny_huber_loss", call_tiny_huber_loss, 2, 0, 1, 0},
  {"tiny_binary_cross_entropy", call_tiny_binary_cross_entropy, 3, 0, 1, 0},
  {"tiny_binary_cross_entropy_with_logits", call_tiny_binary_cross_entropy_with_logits, 4, 0, 1, 0},
  {"tiny_soft_margin_loss", call_tiny_soft_margin_loss, 2, 0, 1, 0},
  {"tiny_multilabel_soft_margin_loss", call_tiny_multilabel_soft_margin_loss, 3, 0, 1, 0},
  {"tiny_kl_div", call_tiny_kl_div, 2, 0, 2, 0},
  {"tiny_gaussian_nll_loss", call_tiny_gaussian_nll_loss, 3, 0, 2, 0},
  {"tiny_poisson_nll_loss", call_tiny_poisson_nll_loss, 2, 0, 3, 0},
  {"tiny_hinge_embedding_loss", call_tiny_hinge_embedding_loss, 2, 0, 1, 0},
  {"tiny_margin_ranking_loss", call_tiny_margin_ranking_loss, 3, 0, 1, 0},
  {"tiny_cosine_embedding_loss", call_tiny_cosine_embedding_loss, 3, 0, 1, 0},
  {"tiny_triplet_margin_loss", call_tiny_triplet_margin_loss, 3, 0, 2, 0},
  {"tiny_cross_entropy", call_tiny_cross_entropy, 3, 0, 0, 0},
  {"tiny_nll_loss", call_tiny_nll_loss, 3, 0, 0, 0},
  {"tiny_multi_margin_loss", call_tiny_multi_margin_loss, 3, 0, 2, 0},
  {"tiny_ctc_loss", call_tiny_ctc_loss, 4, 0, 3, 0},
  {"tiny_embedding", call_tiny_embedding, 2, 0, 1, 0},
  {"tiny_embedding_max_norm", call_tiny_embedding_max_norm, 2, 0, 1, 0},
  {"tiny_embedding_bag", call_tiny_embedding_bag, 4, 0, 2, 0},
  {"tiny_attention", call_tiny_attention, 4, 0, 0, 0},
  {"tiny_rope", call_tiny_rope, 2, 0, 0, 0},
  {"tiny_rnn_cell", call_tiny_rnn_cell, 6, 0, 1, 0},
  {"tiny_gru_cell", call_tiny_gru_cell, 6, 0, 0, 0},
  {"tiny_lstm_cell", call_tiny_lstm_cell, 7, 0, 0, 1},
  {"tiny_rnn", call_tiny_rnn, 6, 0, 0, 1},
  {"tiny_gru", call_tiny_gru, 6, 0, 0, 1},
  {"tiny_lstm", call_tiny_lstm, 7, 0, 0, 2},
  {"tiny_conv", call_tiny_conv, 3, 0, 0, 0},
  {"tiny_conv1d", call_tiny_conv1d, 3, 0, 0, 0},
  {"tiny_conv2d", call_tiny_conv2d, 3, 0, 0, 0},
  {"tiny_conv3d", call_tiny_conv3d, 3, 0, 0, 0},
  {"tiny_conv_transpose", call_tiny_conv_transpose, 3, 0, 0, 0},
  {"tiny_conv_transpose1d", call_tiny_conv_transpose1d, 3, 0, 0, 0},
  {"tiny_conv_transpose2d", call_tiny_conv_transpose2d, 3, 0, 0, 0},
  {"tiny_conv_transpose3d", call_tiny_conv_transpose3d, 3, 0, 0, 0},
  {"tiny_max_pool", call_tiny_max_pool, 1, 0, 0, 1},
  {"tiny_max_pool1d", call_tiny_max_pool1d, 1, 0, 3, 0},
  {"tiny_max_pool2d", call_tiny_max_pool2d, 1, 0, 3, 0},
  {"tiny_max_pool3d", call_tiny_max_pool3d, 1, 0, 3, 0},
  {"tiny_max_unpool", call_tiny_max_unpool, 2, 0, 0, 0},
  {"tiny_avg_pool", call_tiny_avg_pool, 1, 0, 0, 0},
  {"tiny_avg_pool1d", call_tiny_avg_pool1d, 1, 0, 3, 0},
  {"tiny_avg_pool2d", call_tiny_avg_pool2d, 1, 0, 3, 0},
  {"tiny_avg_pool3d", call_tiny_avg_pool3d, 1, 0, 3, 0},
  {"tiny_lp_pool", call_tiny_lp_pool, 1, 0, 0, 0},
  {"tiny_adaptive_avg_pool", call_tiny_adaptive_avg_pool, 1, 0, 0, 0},
  {"tiny_adaptive_max_pool", call_tiny_adaptive_max_pool, 1, 0, 0, 1},
  {"tiny_unfold", call_tiny_unfold, 1, 0, 0, 0},
  {"tiny_fold", call_tiny_fold, 1, 0, 0, 0},
  {"tiny_interpolate", call_tiny_interpolate, 1, 0, 0, 0},
  {"tiny_grid_sample", call_tiny_grid_sample, 2, 0, 0, 0},
  {"tiny_affine_grid", call_tiny_affine_grid, 1, 0, 1, 0},
  {"tiny_pixel_shuffle", call_tiny_pixel_shuffle, 1, 0, 1, 0},
  {"tiny_pixel_unshuffle", call_tiny_pixel_unshuffle, 1, 0, 1, 0},
  {"tiny_channel_shuffle", call_tiny_channel_shuffle, 1, 0, 1, 0},
  {"tiny_params_add", call_tiny_params_add, 1, 1, 1, 0},
  {"tiny_params_enter", call_tiny_params_enter, 0, 1, 0, 0},
  {"tiny_params_leave", call_tiny_params_leave, 0, 1, 0, 0},
  {"tiny_params_find", call_tiny_params_find, 0, 1, 0, 0},
  {"tiny_params_free", call_tiny_params_free, 0, 1, 0, 0},
  {"tiny_linear_layer_new", call_tiny_linear_layer_new, 0, 1, 3, 0},
  {"tiny_linear_layer_forward", call_tiny_linear_layer_forward, 3, 0, 0, 0},
  {"tiny_linear_layer_params", call_tiny_linear_layer_params, 2, 1, 0, 0},
  {"tiny_linear_layer_free", call_tiny_linear_layer_free, 2, 0, 0, 0},
  {"tiny_conv_layer_new", call_tiny_conv_layer_new, 0, 1, 3, 0},
  {"tiny_conv_transpose_layer_new", call_tiny_conv_transpose_layer_new, 0, 1, 3, 0},
  {"tiny_conv_layer_forward", call_tiny_conv_layer_forward, 3, 0, 0, 0},
  {"tiny_conv_layer_params", call_tiny_conv_layer_params, 2, 1, 0, 0},
  {"tiny_conv_layer_free", call_tiny_conv_layer_free, 2, 0, 0, 0},
  {"tiny_norm_layer_new", call_tiny_norm_layer_new, 0, 1, 2, 0},
  {"tiny_norm_layer_forward", call_tiny_norm_layer_forward, 5, 0, 1, 0},
  {"tiny_norm_layer_params", call_tiny_norm_layer_params, 4, 1, 0, 0},
  {"tiny_norm_layer_free", call_tiny_norm_layer_free, 4, 0, 0, 0},
  {"tiny_embedding_layer_new", call_tiny_embedding_layer_new, 0, 1, 3, 0},
  {"tiny_embedding_layer_forward", call_tiny_embedding_layer_forward, 2, 0, 0, 0},
  {"tiny_embedding_layer_params", call_tiny_embedding_layer_params, 1, 1, 0, 0},
  {"tiny_embedding_layer_free", call_tiny_embedding_layer_free, 1, 0, 0, 0},
  {"tiny_attention_layer_new", call_tiny_attention_layer_new, 0, 1, 3, 0},
  {"tiny_attention_layer_forward", call_tiny_attention_layer_forward, 6, 0, 0, 0},
  {"tiny_attention_layer_params", call_tiny_attention_layer_params, 2, 1, 0, 0},
  {"tiny_attention_layer_free", call_tiny_attention_layer_free, 2, 0, 0, 0},
  {"tiny_recurrent_layer_new", call_tiny_recurrent_layer_new, 0, 1, 4, 0},
  {"tiny_recurrent_layer_forward", call_tiny_recurrent_layer_forward, 3, 1, 1, 2},
  {"tiny_recurrent_layer_params", call_tiny_recurrent_layer_params, 0, 2, 0, 0},
  {"tiny_recurrent_layer_free", call_tiny_recurrent_layer_free, 0, 1, 0, 0},
  {"tiny_grad", call_tiny_grad, 3, 0, 1, 1},
  {"tiny_checkpoint", call_tiny_checkpoint, 3, 0, 1, 0},
  {"tiny_optim_step", call_tiny_optim_step, 4, 1, 1, 0},
  {"tiny_optim_minimize", call_tiny_optim_minimize, 1, 2, 0, 0},
  {"tiny_optim_free", call_tiny_optim_free, 0, 1, 0, 0},
  {"tiny_clip_grad_norm", call_tiny_clip_grad_norm, 2, 0, 1, 0},
  {"tiny_clip_grad_value", call_tiny_clip_grad_value, 2, 0, 1, 0},
  {"tiny_lr_step", call_tiny_lr_step, 0, 0, 2, 0},
  {"tiny_lr_multistep", call_tiny_lr_multistep, 0, 0, 2, 0},
  {"tiny_lr_exponential", call_tiny_lr_exponential, 0, 0, 1, 0},
  {"tiny_lr_cosine", call_tiny_lr_cosine, 0, 0, 2, 0},
  {"tiny_lr_cosine_restarts", call_tiny_lr_cosine_restarts, 0, 0, 3, 0},
  {"tiny_lr_linear", call_tiny_lr_linear, 0, 0, 2, 0},
  {"tiny_lr_one_cycle", call_tiny_lr_one_cycle, 0, 0, 2, 0},
  {"tiny_lr_polynomial", call_tiny_lr_polynomial, 0, 0, 2, 0},
  {"tiny_lr_plateau", call_tiny_lr_plateau, 0, 0, 0, 0},
  {"tiny_scaler_scale", call_tiny_scaler_scale, 1, 1, 0, 0},
  {"tiny_scaler_unscale", call_tiny_scaler_unscale, 2, 1, 1, 0},
  {"tiny_scaler_step", call_tiny_scaler_step, 4, 2, 1, 0},
  {"tiny_scaler_update", call_tiny_scaler_update, 0, 1, 0, 0},
  {"tiny_scaler_free", call_tiny_scaler_free, 0, 1, 0, 0},
  {"tiny_ema_step", call_tiny_ema_step, 2, 1, 1, 0},
  {"tiny_ema_free", call_tiny_ema_free, 0, 1, 0, 0},
  {"tiny_to_text", call_tiny_to_text, 1, 0, 1, 0},
  {"tiny_print", call_tiny_print, 1, 0, 0, 0},
  {"tiny_print_named", call_tiny_print_named, 1, 0, 0, 0},
  {"tiny_find_nan", call_tiny_find_nan, 1, 0, 1, 0},
  {"tiny_params_summary", call_tiny_params_summary, 0, 1, 1, 0},
  {"tiny_graph_dot", call_tiny_graph_dot, 2, 0, 2, 0},
  {"tiny_graph_json", call_tiny_graph_json, 2, 0, 2, 0},
  {"tiny_load_npy", call_tiny_load_npy, 0, 1, 0, 0},
  {"tiny_load_npy_from", call_tiny_load_npy_from, 0, 1, 1, 0},
  {"tiny_save_npy", call_tiny_save_npy, 1, 0, 0, 0},
  {"tiny_save_npy_to", call_tiny_save_npy_to, 1, 0, 0, 0},
  {"tiny_archive_open", call_tiny_archive_open, 0, 1, 0, 0},
  {"tiny_archive_from", call_tiny_archive_from, 0, 1, 1, 0},
  {"tiny_archive_count", call_tiny_archive_count, 0, 1, 0, 0},
  {"tiny_archive_name", call_tiny_archive_name, 0, 1, 1, 0},
  {"tiny_archive_get", call_tiny_archive_get, 0, 1, 0, 0},
  {"tiny_archive_metadata", call_tiny_archive_metadata, 0, 1, 0, 0},
  {"tiny_save", call_tiny_save, 2, 0, 1, 0},
  {"tiny_save_as", call_tiny_save_as, 2, 0, 0, 0},
  {"tiny_state_save", call_tiny_state_save, 0, 2, 0, 0},
  {"tiny_state_load", call_tiny_state_load, 0, 2, 1, 0},
  {"tiny_load_image", call_tiny_load_image, 0, 1, 0, 0},
  {"tiny_load_image_from", call_tiny_load_image_from, 0, 1, 1, 0},
  {"tiny_save_image", call_tiny_save_image, 1, 0, 0, 0},
  {"tiny_save_image_to", call_tiny_save_image_to, 1, 0, 0, 0},
  {"tiny_load_wav", call_tiny_load_wav, 0, 1, 0, 0},
  {"tiny_load_wav_from", call_tiny_load_wav_from, 0, 1, 1, 0},
  {"tiny_save_wav", call_tiny_save_wav, 1, 0, 1, 0},
  {"tiny_save_wav_to", call_tiny_save_wav_to, 1, 0, 1, 0},
  {"tiny_load_idx", call_tiny_load_idx, 0, 1, 0, 0},
  {"tiny_load_idx_from", call_tiny_load_idx_from, 0, 1, 1, 0},
  {"tiny_save_idx", call_tiny_save_idx, 1, 0, 0, 0},
  {"tiny_save_idx_to", call_tiny_save_idx_to, 1, 0, 0, 0},
  {"tiny_load_csv", call_tiny_load_csv, 0, 1, 0, 0},
  {"tiny_save_csv", call_tiny_save_csv, 1, 0, 0, 0},
  {"tiny_save_csv_to", call_tiny_save_csv_to, 1, 0, 0, 0},
  {"tiny_loader_open", call_tiny_loader_open, 0, 1, 0, 0},
  {"tiny_loader_next", call_tiny_loader_next, 0, 1, 0, 1},
  {"tiny_loader_each", call_tiny_loader_each, 0, 1, 0, 1},
  {"tiny_loader_count", call_tiny_loader_count, 0, 1, 0, 0},
  {"tiny_convert_image_dtype", call_tiny_convert_image_dtype, 1, 0, 1, 0},
  {"tiny_normalize_image", call_tiny_normalize_image, 1, 0, 1, 0},
  {"tiny_rgb_to_grayscale", call_tiny_rgb_to_grayscale, 1, 0, 0, 0},
  {"tiny_resize", call_tiny_resize, 1, 0, 2, 0},
  {"tiny_center_crop", call_tiny_center_crop, 1, 0, 2, 0},
  {"tiny_gaussian_blur", call_tiny_gaussian_blur, 1, 0, 1, 0},
  {"tiny_random_horizontal_flip", call_tiny_random_horizontal_flip, 1, 0, 0, 0},
  {"tiny_random_vertical_flip", call_tiny_random_vertical_flip, 1, 0, 0, 0},
  {"tiny_random_crop", call_tiny_random_crop, 1, 0, 3, 0},
  {"tiny_random_resized_crop", call_tiny_random_resized_crop, 1, 0, 2, 0},
  {"tiny_random_affine", call_tiny_random_affine, 1, 0, 0, 0},
  {"tiny_random_rotation", call_tiny_random_rotation, 1, 0, 0, 0},
  {"tiny_color_jitter", call_tiny_color_jitter, 1, 0, 0, 0},
  {"tiny_adjust_brightness", call_tiny_adjust_brightness, 2, 0, 0, 0},
  {"tiny_adjust_contrast", call_tiny_adjust_contrast, 2, 0, 0, 0},
  {"tiny_adjust_saturation", call_tiny_adjust_saturation, 2, 0, 0, 0},
  {"tiny_adjust_hue", call_tiny_adjust_hue, 2, 0, 0, 0},
  {"tiny_random_erasing", call_tiny_random_erasing, 1, 0, 0, 0},
  {"tiny_mixup", call_tiny_mixup, 2, 0, 1, 1},
  {"tiny_cutmix", call_tiny_cutmix, 2, 0, 1, 1},
  {"tiny_capture", call_tiny_capture, 4, 1, 2, 0},
  {"tiny_run", call_tiny_run, 2, 1, 0, 1},
  {"tiny_run_for", call_tiny_run_for, 2, 1, 1, 1},
  {"tiny_program_kernel_count", call_tiny_program_kernel_count, 0, 1, 0, 0},
  {"tiny_warm", call_tiny_warm, 2, 1, 1, 0},
  {"tiny_warm_capture", call_tiny_warm_capture, 4, 1, 2, 0},
  {"tiny_warm_left", call_tiny_warm_left, 0, 1, 0, 0},
  {"tiny_warm_wait", call_tiny_warm_wait, 0, 1, 0, 0},
  {"tiny_cache_export", call_tiny_cache_export, 0, 1, 0, 0},
  {"tiny_cache_import", call_tiny_cache_import, 0, 1, 0, 0},
  {"tiny_cache_export_to", call_tiny_cache_export_to, 0, 1, 0, 0},
  {"tiny_cache_import_from", call_tiny_cache_import_from, 0, 1, 1, 0},
  {"tiny_kernel", call_tiny_kernel, 2, 1, 0, 0},
  {"tiny_views_of", call_tiny_views_of, 0, 0, 0, 0},
  {"tiny_views_strided", call_tiny_views_strided, 0, 0, 1, 0},
  {"tiny_views_permute", call_tiny_views_permute, 0, 0, 0, 0},
  {"tiny_views_expand", call_tiny_views_expand, 0, 0, 0, 0},
  {"tiny_views_pad", call_tiny_views_pad, 0, 0, 0, 0},
  {"tiny_views_shrink", call_tiny_views_shrink, 0, 0, 0, 0},
  {"tiny_views_flip", call_tiny_views_flip, 0, 0, 0, 0},
  {"tiny_views_reshape", call_tiny_views_reshape, 0, 0, 0, 0},
  {"tiny_views_contiguous", call_tiny_views_contiguous, 0, 0, 0, 0},
  {"tiny_views_at", call_tiny_views_at, 0, 0, 0, 0},
  {"tiny_views_expr", call_tiny_views_expr, 0, 1, 0, 0},
  {"tiny_uop_of", call_tiny_uop_of, 1, 0, 0, 0},
  {"tiny_uop_parse", call_tiny_uop_parse, 0, 1, 0, 0},
  {"tiny_op_name", call_tiny_op_name, 0, 0, 1, 0},
  {"tiny_warp_units", call_tiny_warp_units, 0, 0, 0, 0},
  {"tiny_compiler_of", call_tiny_compiler_of, 0, 1, 0, 0},
  {"tiny_renderer_of_language", call_tiny_renderer_of_language, 0, 0, 0, 0},
  {"tiny_backend_named", call_tiny_backend_named, 0, 0, 0, 0},
  {"tiny_program_save", call_tiny_program_save, 2, 1, 0, 0},
  {"tiny_program_save_to", call_tiny_program_save_to, 2, 1, 0, 0},
  {"tiny_program_load", call_tiny_program_load, 0, 1, 0, 0},
  {"tiny_program_memory", call_tiny_program_memory, 0, 1, 1, 0},
  {"tiny_program_read", call_tiny_program_read, 0, 1, 1, 0},
  {"tiny_program_write", call_tiny_program_write, 0, 1, 1, 0},
  {"tiny_program_export_c", call_tiny_program_export_c, 2, 1, 0, 0},
  {"tiny_program_export_c_to", call_tiny_program_export_c_to, 2, 1, 0, 0},
  {"tiny_label", call_tiny_label, 1, 0, 0, 0},
  {"tiny_label_of", call_tiny_label_of, 1, 0, 0, 0},
  {"tiny_scope_begin", call_tiny_scope_begin, 0, 1, 0, 0},
  {"tiny_scope_end", call_tiny_scope_end, 0, 1, 0, 0},
  {"tiny_profile_begin", call_tiny_profile_begin, 0, 1, 0, 0},
  {"tiny_profile_get", call_tiny_profile_get, 0, 1, 2, 0},
  {"tiny_profile_text", call_tiny_profile_text, 0, 1, 2, 0},
  {"tiny_program_summary", call_tiny_program_summary, 0, 1, 1, 0},
};
