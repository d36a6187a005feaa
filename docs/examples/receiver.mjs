// A webhook receiver: verifies each delivery with the official Standard Webhooks library and prints it.
//
//   WEBHOOK_SECRET=whsec_... node docs/examples/receiver.mjs
//
// PORT (4000) is where it listens. STATUS (204) is what it answers, to see retries: STATUS=503.
import { createServer } from 'node:http'
import { Webhook } from 'standardwebhooks'

const { WEBHOOK_SECRET, PORT = '4000', STATUS = '204' } = process.env
if (!WEBHOOK_SECRET) {
  console.error('Set WEBHOOK_SECRET to the signing secret of the endpoint (./postroom webhook secret <id>).')
  process.exit(1)
}
const webhook = new Webhook(WEBHOOK_SECRET)
const BODY_BYTES_MAX = 1024 * 1024

// A delivery may arrive more than once, always with the same webhook-id. A real receiver keeps these in its database,
// in the transaction that acts on the event.
const seen = new Set()

const server = createServer(async (request, response) => {
  const answer = (status) => response.writeHead(status).end()
  if (request.method !== 'POST') return answer(405)
  const chunks = []
  let bytes = 0
  for await (const chunk of request) {
    bytes += chunk.length
    if (bytes > BODY_BYTES_MAX) return answer(413)
    chunks.push(chunk)
  }
  // The signature is over the bytes as they came: parse after verifying, never before.
  const body = Buffer.concat(chunks).toString('utf8')
  const id = request.headers['webhook-id']
  let event
  try {
    event = webhook.verify(body, request.headers)
  } catch (error) {
    console.log(`refused   ${id ?? '-'}: ${error.message}`)
    return answer(400)
  }
  console.log(`${seen.has(id) ? 'again    ' : 'verified '} ${id}  ${event.type}  ${JSON.stringify(event.data)}`)
  if (STATUS.startsWith('2')) seen.add(id)
  answer(Number(STATUS))
})

server.listen(Number(PORT), '127.0.0.1', () => console.log(`Listening on http://127.0.0.1:${PORT}/`))

server.on('error', (error) => {
  console.error(
    `Cannot listen on 127.0.0.1:${PORT}: ${error.code}. Set PORT to a free port, the one in the endpoint's URL.`,
  )
  process.exit(1)
})
