// wasm_host: an engine of WebAssembly behind two pipes: loads modules, keeps memory, runs kernels, as tests/wasm_device.h
// asks it to. node tests/wasm_host.js
'use strict'
const fs = require('fs')

const TABLE = 1024, ARGS = 32768, LOCAL = 1 << 20                // bytes of the memory: pointers, numbers, LOCAL memory
const memory = new WebAssembly.Memory({initial: 16384})          // 1 GiB
const bytes = new Uint8Array(memory.buffer), view = new DataView(memory.buffer)
const kernels = []

function read(n) {
  const out = Buffer.alloc(n)
  for (let at = 0; at < n;) {
    let got = 0
    try { got = fs.readSync(0, out, at, n - at, null) } catch (e) { if (e.code !== 'EAGAIN') throw e; else continue }
    if (!got) process.exit(0)
    at += got
  }
  return out
}
function write(data) {
  for (let at = 0; at < data.length;) {
    try { at += fs.writeSync(1, data, at) } catch (e) { if (e.code !== 'EAGAIN') throw e }
  }
}
const number = () => read(8).readBigInt64LE(0)
const int = () => Number(number())
function answer(value, text) {                                   // a number, and what is to be said
  const said = Buffer.from(text || ''), head = Buffer.alloc(16)
  head.writeBigInt64LE(BigInt(value), 0)
  head.writeBigInt64LE(BigInt(said.length), 8)
  write(Buffer.concat([head, said]))
}

function load() {
  const module = read(int()), name = read(int()).toString()
  try {
    const instance = new WebAssembly.Instance(new WebAssembly.Module(module), {tiny: {memory}})
    if (typeof instance.exports[name] !== 'function') throw Error('no function ' + name)
    kernels.push(instance.exports[name])
    answer(kernels.length - 1)
  } catch (e) { answer(-1, String(e)) }
}
function launch() {
  const kernel = kernels[int()], tasks = int(), nmem = int(), nargs = int()
  for (let i = 0; i < nmem; i++) view.setUint32(TABLE + 4 * i, int(), true)
  for (let i = 0; i < nargs; i++) view.setBigInt64(ARGS + 8 * i, number(), true)
  const begin = process.hrtime.bigint()
  try {
    for (let i = 0; i < tasks; i++) kernel(TABLE, ARGS, BigInt(i), LOCAL)
    answer(process.hrtime.bigint() - begin)
  } catch (e) { answer(-1, String(e.stack)) }
}
const commands = {
  L: load, X: launch,
  U: () => { kernels[int()] = null },
  W: () => { const at = int(); bytes.set(read(int()), at) },
  R: () => { const at = int(), n = int(); write(Buffer.from(memory.buffer, at, n)) }
}
for (;;) commands[read(1).toString()]()
