import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { freePort } from './instance.ts'

test('a process whose id ends as that of another one has other ports', async (t) => {
  const claim = 12_000 + (process.pid % 1_000) * 20
  const other = createServer()
  t.after(() => other.close())
  await new Promise<void>((resolve) => other.listen(claim, '127.0.0.1', resolve))
  const ports = [await freePort(), await freePort()]
  for (const port of ports) assert.ok(port <= claim || port >= claim + 20, `${port} is the other's`)
  assert.notEqual(ports[0], ports[1])
})
