import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { createGzip } from 'node:zlib'
import { ANSWER_BYTES_MAX } from './ask-api.ts'
import { OPEN_WAY } from './open-way.ts'

const PIECE = Buffer.alloc(1024 * 1024, ' ')

test('an answer is read no further than it may be long, also one that is packed into little', async (t) => {
  const server = createServer(async (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
    const packed = createGzip()
    packed.pipe(response)
    // More than is read, and then no end.
    for (let bytes = 0; bytes <= ANSWER_BYTES_MAX; bytes += PIECE.length)
      if (!packed.write(PIECE)) await once(packed, 'drain')
    packed.flush()
  })
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const answer = await OPEN_WAY.get(`http://127.0.0.1:${port}/`, {})
  assert.deepEqual(answer, { fault: `an answer is over ${ANSWER_BYTES_MAX} bytes` })
})
