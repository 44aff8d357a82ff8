// metal_host: the part of test_metal.c that plays a host with Metal objects of its own: queue, buffers, textures,
// command buffers, events.
#ifndef METAL_HOST_H
#define METAL_HOST_H

// Of Apple's MTLPixelFormat and MTLStorageMode.
enum { HOST_RGBA8 = 70, HOST_BGRA8 = 80, HOST_RGBA32F = 125, HOST_SHARED = 0, HOST_MANAGED = 1, HOST_PRIVATE = 2 };
typedef struct host { void *device, *queue; tiny_ctx *t; int discrete; } host;

static host host_on(const char *chip, uint32_t seed) {
  host h;
  mac_with((metal_mock_desc){.chips = chip, .seed = seed});
  h.device = metal_mock_device(0);
  h.queue = metal_mock_queue(h.device);
  h.t = open_with(tiny_metal_host(h.queue).text, "");
  h.discrete = !strcmp(chip, "mac2");
  all_well(h.t);
  return h;
}
static void host_end(host *h) {
  tiny_close(h->t);
  metal_mock_drop(h->queue);
  metal_mock_drop(h->device);
  mac_over();
}
// A buffer of floats, private where `hidden` is 1, else shared.
static void *host_buffer(const host *h, const float *data, int n, int hidden) {
  const unsigned options = (hidden ? HOST_PRIVATE : HOST_SHARED) << 4;
  void *buffer = metal_mock_buffer(h->device, NULL, (size_t)n * sizeof *data, options);
  size_t nbytes = 0;
  void *at = metal_mock_memory(buffer, &nbytes);
  CHECK(at && nbytes >= (size_t)n * sizeof *data);
  if (at && data) memcpy(at, data, (size_t)n * sizeof *data);
  return buffer;
}
static const float *host_sees(void *resource) { return (const float *)metal_mock_memory(resource, NULL); }

// A buffer is a tensor, from an offset on, without a copy.
static void test_host_buffer(const char *chip, int hidden) {
  float data[64], got[16];
  for (int i = 0; i < 64; i++) data[i] = (float)i;
  host h = host_on(chip, 4);
  void *buffer = host_buffer(&h, data, 64, hidden);
  tiny_tensor *x = tiny_metal_blob(h.t, buffer, 64, TINY_F32, TINY_SHAPE(16));   // numbers 16 to 31
  CHECK_EQ(tiny_read(tiny_mul_scalar(x, 2), got, sizeof got), TINY_OK);
  for (int i = 0; i < 16; i++) CHECK(got[i] == 2 * (float)(16 + i));
  tiny_assign(x, tiny_add_scalar(x, 100));
  CHECK_EQ(tiny_realize(&x, 1), TINY_OK);
  CHECK_EQ(tiny_sync(h.t), TINY_OK);
  for (int i = 0; i < 64; i++) CHECK(host_sees(buffer)[i] == (float)i + (i >= 16 && i < 32 ? 100 : 0));
  all_well(h.t);
  CHECK(!tiny_metal_blob(h.t, buffer, 64, TINY_F32, TINY_SHAPE(64)) || tiny_status(h.t) != TINY_OK);
  says(h.t, TINY_E_ARG, "metal_blob");
  tiny_clear(h.t);
  tiny_metal_blob(h.t, buffer, 2, TINY_F32, TINY_SHAPE(4));
  says(h.t, TINY_E_ARG, "within an element");
  tiny_clear(h.t);
  tiny_metal_blob(h.t, NULL, 0, TINY_F32, TINY_SHAPE(4));
  says(h.t, TINY_E_ARG, "NULL");
  tiny_clear(h.t);
  tiny_free(x);
  metal_mock_drop(buffer);
  host_end(&h);
}

// A texture comes in and goes out, in order.
static void test_host_texture(const char *chip, unsigned format, tiny_dtype dtype, size_t nbytes) {
  enum { WIDE = 5, HIGH = 3 };             // rows that are padded where they are copied
  static unsigned char got[WIDE * HIGH * 16], want[WIDE * HIGH * 16];
  host h = host_on(chip, 6);
  void *in = metal_mock_texture(h.device, format, WIDE, HIGH, HOST_PRIVATE),
       *out = metal_mock_texture(h.device, format, WIDE, HIGH, HOST_PRIVATE);
  unsigned char *at = (unsigned char *)metal_mock_memory(in, NULL);
  for (size_t i = 0; i < WIDE * HIGH * nbytes; i++) at[i] = (unsigned char)(dtype == TINY_U8 ? i * 7 : 0);
  if (dtype == TINY_F32) for (int i = 0; i < WIDE * HIGH * 4; i++) memcpy(at + 4 * i, &(float){(float)i}, 4);
  tiny_tensor *x = tiny_metal_texture(h.t, in);
  all_well(h.t);
  const tiny_shape s = tiny_shape_of(x);
  CHECK(s.ndim == 3 && s.dim[0] == HIGH && s.dim[1] == WIDE && s.dim[2] == 4 && tiny_dtype_of(x) == dtype);
  CHECK_EQ(tiny_read(x, got, WIDE * HIGH * nbytes), TINY_OK);
  CHECK(!memcmp(got, at, WIDE * HIGH * nbytes));
  tiny_tensor *y = tiny_flip(x, TINY_SHAPE(1));
  CHECK_EQ(tiny_read(y, want, WIDE * HIGH * nbytes), TINY_OK);
  CHECK_EQ(tiny_metal_write(y, out), TINY_OK);
  CHECK_EQ(tiny_sync(h.t), TINY_OK);
  CHECK(!memcmp(metal_mock_memory(out, NULL), want, WIDE * HIGH * nbytes));
  tiny_metal_write(tiny_narrow(y, 0, 0, 2), out);
  says(h.t, TINY_E_SHAPE, "metal_write");
  tiny_clear(h.t);
  tiny_metal_write(tiny_cast(y, TINY_I64), out);
  says(h.t, TINY_E_DTYPE, "metal_write");
  tiny_clear(h.t);
  tiny_free(x);
  metal_mock_drop(in);
  metal_mock_drop(out);
  host_end(&h);
}

// Within the host's command buffer: nothing happens before the host commits it, and nothing is committed meanwhile.
static void test_host_encode(const char *chip, uint32_t seed) {
  static const float data[16] = {1, 2, 3};
  host h = host_on(chip, seed);
  void *a = host_buffer(&h, data, 16, 1), *b = host_buffer(&h, data, 16, 1);
  tiny_tensor *x = tiny_metal_blob(h.t, a, 0, TINY_F32, TINY_SHAPE(16)),
              *y = tiny_metal_blob(h.t, b, 0, TINY_F32, TINY_SHAPE(16));
  tiny_begin(h.t);
  tiny_assign(y, tiny_add_scalar(tiny_contiguous(tiny_mul_scalar(x, 10)), 1));
  tiny_program *p = tiny_capture(h.t, NULL, 0, NULL, 0);
  tiny_end(h.t);
  CHECK_EQ(tiny_sync(h.t), TINY_OK);
  for (int turn = 0; turn < 6; turn++) {
    float first = (float)turn;
    memcpy(metal_mock_memory(a, NULL), &first, sizeof first);
    const float before = host_sees(b)[0];
    void *commands = metal_mock_command_buffer(h.queue);
    const metal_mock_counts c = metal_mock_counted();
    CHECK_EQ(tiny_metal_encode(h.t, commands), TINY_OK);
    CHECK_EQ(tiny_run(p, NULL, NULL), TINY_OK);
    all_well(h.t);
    CHECK_EQ(tiny_sync(h.t), TINY_E_STATE);                // it would never end
    says(h.t, TINY_E_STATE, "commit");
    tiny_clear(h.t);
    CHECK_EQ(tiny_metal_encode(h.t, NULL), TINY_OK);
    all_well(h.t);
    CHECK_EQ(metal_mock_counted().committed - c.committed, 0);
    CHECK(host_sees(b)[0] == before);
    metal_mock_commit(commands, 1);
    CHECK_EQ(metal_mock_status(commands), 4);              // MTLCommandBufferStatusCompleted
    metal_mock_drop(commands);
    CHECK(host_sees(b)[0] == 10 * (float)turn + 1 && host_sees(b)[2] == 31);
    CHECK_EQ(tiny_sync(h.t), TINY_OK);
  }
  tiny_program_free(p);
  tiny_free(x); tiny_free(y);
  metal_mock_drop(a); metal_mock_drop(b);
  host_end(&h);
}

// The host's events: what the library does waits for them, and they for it.
static void test_host_events(const char *chip) {
  static const float data[4] = {1, 2, 3, 4};
  host h = host_on(chip, 8);
  void *event = metal_mock_shared_event(h.device), *a = host_buffer(&h, data, 4, 1);
  tiny_tensor *x = tiny_metal_blob(h.t, a, 0, TINY_F32, TINY_SHAPE(4));
  CHECK_EQ(tiny_metal_wait(h.t, event, 1), TINY_OK);
  tiny_assign(x, tiny_mul_scalar(x, 3));
  CHECK_EQ(tiny_realize(&x, 1), TINY_OK);
  CHECK_EQ(tiny_metal_signal(h.t, event, 2), TINY_OK);
  CHECK_EQ(metal_mock_event_value(event), 0);
  float five = 5;
  memcpy(metal_mock_memory(a, NULL), &five, sizeof five);  // the host's work, which is waited for
  metal_mock_event_set(event, 1);
  CHECK_EQ(tiny_sync(h.t), TINY_OK);
  CHECK_EQ(metal_mock_event_value(event), 2);
  CHECK(host_sees(a)[0] == 15 && host_sees(a)[3] == 12);
  tiny_metal_wait(h.t, NULL, 1);
  says(h.t, TINY_E_ARG, "NULL");
  tiny_clear(h.t);
  tiny_free(x);
  metal_mock_drop(a); metal_mock_drop(event);
  host_end(&h);
}
// Pages of the host's memory, in place.
static void test_host_pages(void) {
  host h = host_on("apple7", 5);
  void *at = NULL;
  CHECK(!posix_memalign(&at, 16384, 32768));
  float *v = (float *)at;
  for (int i = 0; i < 64; i++) v[i] = (float)i;
  tiny_tensor *x = tiny_metal_pages(h.t, at, 32768, TINY_F32, TINY_SHAPE(64));
  all_well(h.t);
  tiny_assign(x, tiny_add_scalar(x, 1));
  CHECK_EQ(tiny_realize(&x, 1), TINY_OK);
  CHECK_EQ(tiny_sync(h.t), TINY_OK);
  for (int i = 0; i < 64; i++) CHECK(v[i] == (float)i + 1);
  tiny_metal_pages(h.t, (char *)at + 64, 16384, TINY_F32, TINY_SHAPE(64));
  says(h.t, TINY_E_ARG, "page");
  tiny_clear(h.t);
  tiny_free(x);
  host_end(&h);
  free(at);
}
// Two contexts on one queue of the host's, one after the other and beside the host's own work.
static void test_host_twice(void) {
  host h = host_on("apple8", 2);
  tiny_ctx *other = open_with(tiny_metal_host(h.queue).text, "");
  for (int i = 0; i < 3; i++) { values_are(h.t); values_are(other); }
  tiny_close(other);
  host_end(&h);
}
// Names and objects that are none.
static void test_host_refused(void) {
  mac("apple7");
  tiny_ctx *t = open_with(tiny_metal_host(NULL).text, "");
  CHECK_EQ(tiny_status(t), TINY_E_DEVICE);
  tiny_close(t);
  t = open_with("INTERP", "");
  void *device = metal_mock_device(0), *buffer = metal_mock_buffer(device, NULL, 64, 0);
  tiny_metal_blob(t, buffer, 0, TINY_F32, TINY_SHAPE(4));
  says(t, TINY_E_ARG, "METAL");
  tiny_clear(t);
  CHECK_EQ(tiny_metal_encode(t, NULL), TINY_E_ARG);
  tiny_close(t);
  metal_mock_drop(buffer);
  metal_mock_drop(device);
  mac_over();
}

static void test_host(void) {
  for (int i = 0; i < PLAYED_GPUS; i++)
    for (int hidden = 0; hidden < 2; hidden++) test_host_buffer(played_chips[i], hidden);
  for (int i = 0; i < PLAYED_GPUS; i++) {
    test_host_texture(played_chips[i], HOST_RGBA8, TINY_U8, 4);
    test_host_texture(played_chips[i], HOST_BGRA8, TINY_U8, 4);
    test_host_texture(played_chips[i], HOST_RGBA32F, TINY_F32, 16);
    test_host_encode(played_chips[i], 0);
    test_host_encode(played_chips[i], 7);
    test_host_events(played_chips[i]);
  }
  test_host_pages();
  test_host_twice();
  test_host_refused();
}
#endif
