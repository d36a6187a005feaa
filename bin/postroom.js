#!/usr/bin/env -S node --max-semi-space-size=8 --heap-growing-percent=50
// V8 would rather grow than collect: with these a process that sends as fast as it can stays 70 MB smaller.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < 24 || (major === 24 && minor < 7)) {
  console.error(
    `postroom: needs Node.js 24.7 or newer, this is ${process.version}. Run it through npm (npm start, npx postroom): on Linux that brings its own Node.js.`,
  )
  process.exit(1)
}
await import('./strip-once.js')
const { main } = await import('../server/cli/main.ts')
process.exitCode = await main(process.argv.slice(2))
