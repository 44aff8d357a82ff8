// wgsl_to_glsl: node tools/wgsl_to_glsl.mjs FILE.wgsl: its one kernel as Dawn's compiler Tint writes it in GLSL ES, to
// stdout: npm install webgpu, in $WEBGPU or build/npm; it wants an OpenGL ES device, as Mesa has without a screen.
import { createRequire } from 'module';
import { readFileSync } from 'fs';
const { create } = createRequire((process.env.WEBGPU || process.cwd() + '/build/npm') + '/')('webgpu');
const gpu = create(['backend=opengles', 'enable-dawn-features=dump_shaders,disable_robustness,allow_unsafe_apis']);
const adapter = await gpu.requestAdapter({ featureLevel: 'compatibility' });
if (!adapter) { console.error('there is no OpenGL ES device (libegl1, libgles2, mesa)'); process.exit(2); }
const names = ['maxStorageBuffersPerShaderStage', 'maxComputeInvocationsPerWorkgroup', 'maxComputeWorkgroupSizeX',
  'maxComputeWorkgroupSizeY', 'maxComputeWorkgroupStorageSize'];
const requiredLimits = Object.fromEntries(names.map((name) => [name, adapter.limits[name]]));
const device = await adapter.requestDevice({ requiredLimits });
device.pushErrorScope('validation');
const module = device.createShaderModule({ code: readFileSync(process.argv[2], 'utf8') });
device.createComputePipeline({ layout: 'auto', compute: { module } });
const error = await device.popErrorScope();
if (error) console.error(error.message);
process.exit(error ? 1 : 0);
