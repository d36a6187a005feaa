import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { seedFrom } from '../support/seeded-random.ts'
import type { Tally } from './try-hostile.ts'

/** 10,000 in the long form. */
const COUNT = Number(process.env.HOSTILE_TEMPLATES ?? 300)
/** The program itself takes some 30 MB, so that no template has more than 64. */
const HEAP_MB_MAX = 96
const RUN = fileURLToPath(new URL('./try-hostile.ts', import.meta.url))

test('no template hangs, grows, ends the process, or sees a file, the environment or a prototype', async () => {
  const seed = seedFrom('HOSTILE_SEED')
  console.log(`seed ${seed}`)
  const secret = randomBytes(12).toString('hex')
  const folder = await mkdtemp(join(tmpdir(), 'hostile-templates-'))
  const canary = join(folder, 'canary.txt')
  await writeFile(canary, secret)
  try {
    const child = spawn(
      process.execPath,
      [`--max-old-space-size=${HEAP_MB_MAX}`, RUN, `${seed}`, `${COUNT}`, canary, secret],
      {
        env: { ...process.env, POSTROOM_TEMPLATE_CANARY: secret },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    )
    const [output, errors, code] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      new Promise((resolve) => child.once('exit', (status, signal) => resolve(status ?? signal))),
    ])
    assert.equal(code, 0, errors)
    const { endings, leaks, slow, mainMsMax } = JSON.parse(output) as Tally
    assert.deepEqual({ leaks, slow }, { leaks: [], slow: [] })
    const most = `${Math.round(mainMsMax)} ms`
    console.log(`${COUNT} templates, the main thread held up for at most ${most}`)
    for (const ending of ['faulty', 'rendered', 'stopped']) {
      assert.ok(
        Object.keys(endings).some((key) => key.endsWith(ending)),
        `none is ${ending}: the corpus has lost its teeth`,
      )
    }
  } finally {
    await rm(folder, { recursive: true })
  }
})
