import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { freePort, PORT_SHARES, PORTS_EACH, PORTS_FROM } from './instance.ts'

test('a process whose id ends as that of another one has other ports', async (t) => {
  const claim = PORTS_FROM + (process.pid % PORT_SHARES) * (1 + PORTS_EACH)
  const other = createServer()
  t.after(() => other.close())
  await new Promise<void>((resolve) => other.listen(claim, '127.0.0.1', resolve))
  const ports = [await freePort(), await freePort()]
  for (const port of ports) assert.ok(port > PORTS_FROM && port < 20_000, `${port} may be an embedded server's`)
  for (const port of ports) assert.ok(port <= claim || port > claim + PORTS_EACH, `${port} is the other's`)
  assert.notEqual(ports[0], ports[1])
})
