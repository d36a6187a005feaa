#!/usr/bin/env node
import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { createServer as createProbe } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createServer } from 'vite'

/*
 * `npm run dev`: the dashboard from its sources, renewed in the page as they change, and the service behind it, both at one
 * address, so that cookies and origins are as they will be. The policy is looser than the real one: tests hold the built
 * pages to that.
 */

const ROOT = fileURLToPath(new URL('../', import.meta.url))
const port = Number(process.env.PORT ?? 3_000)
const inner = await freePort()
const names = [...(await readFile(join(ROOT, 'server/catalogue/app-paths.ts'), 'utf8')).matchAll(/^ {2}'([\w-]+)'/gm)]
const served = names.map(([, name]) => name).filter((name) => name !== 'assets')

const service = spawn(join(ROOT, 'bin/postroom.js'), ['start'], {
  stdio: 'inherit',
  env: { ...process.env, PORT: String(inner), APP_URL: process.env.APP_URL ?? `http://localhost:${port}` },
})
const target = { target: `http://127.0.0.1:${inner}`, changeOrigin: false }
const vite = await createServer({
  configFile: join(ROOT, 'dashboard/vite.config.js'),
  server: {
    port,
    strictPort: true,
    proxy: { [`^/(?!app(?:/|$))|^/app/?$|^/app/(?:${served.join('|')})(?:[/?]|$)`]: target },
  },
})
await vite.listen()
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => service.kill())
service.once('exit', async (code) => {
  await vite.close()
  process.exit(code ?? 1)
})

/** @returns {Promise<number>} */
function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createProbe()
    probe.once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })
}
