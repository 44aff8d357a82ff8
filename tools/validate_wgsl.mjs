// validate_wgsl: node tools/validate_wgsl.mjs FILE.wgsl ..: each is compiled by Dawn (npm install webgpu), as a browser
// does, for a device that only validates: its shader module, and a compute pipeline of it. Ends with `N passed, N failed`.
import { createRequire } from 'module';
import { readFileSync } from 'fs';
const { create } = createRequire(process.cwd() + '/build/npm/')('webgpu');
const gpu = create(['backend=null']);
const adapter = await gpu.requestAdapter();
const requiredFeatures = ['shader-f16', 'subgroups'].filter((feature) => adapter.features.has(feature));
const device = await adapter.requestDevice({ requiredFeatures });
let passed = 0, failed = 0;
for (const file of process.argv.slice(2)) {
  device.pushErrorScope('validation');
  const module = device.createShaderModule({ code: readFileSync(file, 'utf8') });
  for (const m of (await module.getCompilationInfo()).messages)
    console.log(`${file}:${m.lineNum}:${m.linePos}: ${m.type}: ${m.message}`);
  device.createComputePipeline({ layout: 'auto', compute: { module } });
  const error = await device.popErrorScope();
  if (error) console.log(`${file}: ${error.message}`);
  if (error) failed++; else passed++;
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
