import { seedFrom } from '../support/seeded-random.ts'
import { crowdStorm } from './storm.ts'

/*
 * `npm run test:crowd`: ten thousand acts of 24 connections on very few things, and then the reckoning. CROWD_SEED repeats the acts, though
 * not the order that they meet in; CROWD_ACTS makes it shorter or longer. With CROWD_ACTS_PER_KILL a process that works is killed after each so many
 * acts, with CROWD_KILLED=web the one that answers; with CROWD_MOODS=1 the mail server and the receivers of webhooks refuse, break off and fall silent now and then. The status is 0 when nothing
 * is at fault.
 */
const ACTS = 10_000

const { CROWD_ACTS, CROWD_ACTS_PER_KILL, CROWD_KILLED, CROWD_MOODS } = process.env
const seed = seedFrom('CROWD_SEED')
console.log(`seed ${seed} (CROWD_SEED)`)
const { said, faults, requests, mails, deliveries } = await crowdStorm({
  ...{ seed, connections: 24, acts: Number(CROWD_ACTS ?? ACTS) },
  hardships: {
    ...(CROWD_ACTS_PER_KILL === undefined ? {} : { actsPerKill: Number(CROWD_ACTS_PER_KILL) }),
    ...(CROWD_KILLED === 'web' ? { killed: 'web' } : {}),
    moods: CROWD_MOODS === '1',
  },
  report: (line) => console.log(line),
})
for (const [act, statuses] of [...said].sort()) {
  const counts = [...statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`)
  console.log(`${act.padEnd(22)} ${counts.join('  ')}`)
}
for (const fault of faults) console.log(`FAULT ${fault}`)
console.log(`${requests} requests, ${mails} mails, ${deliveries} deliveries, ${faults.length} faults`)
process.exitCode = faults.length === 0 ? 0 : 1
