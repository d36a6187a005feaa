#!/usr/bin/env -S MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=65536 node --max-semi-space-size=4
// V8 and glibc would rather take memory than give it back. With these, and a heap that grows slowly once the service has started
// (server/platform/slow-heap-growth.ts), 187 MB are resident after 12,000 mails sent as fast as can be, without them 343 MB, for
// 0.3 ms of processor time a mail. Linux before 5.1 reads 127 characters of line 1.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < 24 || (major === 24 && minor < 7)) {
  console.error(
    `postroom: needs Node.js 24.7 or newer, this is ${process.version}. Run npm start, or ./postroom for commands: on Linux they bring their own Node.js.`,
  )
  process.exit(1)
}
await import('./resolve-once.js')
await import('./strip-once.js')
// A reader may have seen enough, as `head` has: what is said after that is said to nobody.
process.stdout.on('error', (error) => {
  if (error.code !== 'EPIPE') throw error
})
const { main } = await import('../server/cli/main.ts')
process.exitCode = await main(process.argv.slice(2))
