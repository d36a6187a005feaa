// A name server for trying sending domains out without a domain: TXT records from a file, read anew for each question.
//   node docs/examples/dns.mjs zone.txt
// Each line of the file is a name, a space and the record's text. Point Postroom at it with DNS_SERVERS=127.0.0.1:5300.
// DNS_PORT is another port to answer on.
import { createSocket } from 'node:dgram'
import { readFileSync } from 'node:fs'
import { decode, encode } from 'dns-packet'

const [, , zoneFile = 'zone.txt'] = process.argv
const PORT = Number(process.env.DNS_PORT ?? 5300)
const TEXT_BYTES_MAX = 255
const NXDOMAIN = 3

const server = createSocket('udp4')
server.on('message', (message, { address, port }) => {
  const { id, questions } = decode(message)
  const [question] = questions
  const name = question.name.toLowerCase()
  const records = readZone().filter((record) => record.name === name)
  const answers = question.type === 'TXT' ? records.map(answer) : []
  console.log(`${question.type} ${name}: ${answers.length > 0 ? 'answered' : 'nothing there'}`)
  const flags = records.length > 0 ? 0 : NXDOMAIN
  server.send(encode({ type: 'response', id, flags, questions, answers }), port, address)
})
server.on('error', (error) => {
  console.error(
    `Cannot answer on 127.0.0.1:${PORT} (${error.code}): name a free port with DNS_PORT and in DNS_SERVERS.`,
  )
  process.exit(1)
})
server.bind(PORT, '127.0.0.1', () => console.log(`Answers on 127.0.0.1:${PORT} what ${zoneFile} says.`))

function readZone() {
  return readFileSync(zoneFile, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [name, ...text] = line.trim().split(' ')
      return { name: name.toLowerCase(), text: text.join(' ') }
    })
}

/** A text longer than 255 bytes travels in several strings. */
function answer({ name, text }) {
  const data = text.match(new RegExp(`.{1,${TEXT_BYTES_MAX}}`, 'g')) ?? ['']
  return { name, type: 'TXT', ttl: 1, data }
}
