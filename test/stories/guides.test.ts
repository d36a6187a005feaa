import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmod, mkdir, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import type pg from 'pg'
import { eventually } from '../support/eventually.ts'
import { freePort, type Instance, startInstance } from '../support/instance.ts'
import { PATIENCE } from '../support/patience.ts'
import { createTestDatabase } from '../support/postgres.ts'
import { openTerminal } from '../support/terminal.ts'
import { makeTempDir } from '../support/test-data-dir.ts'
import { withClient } from '../support/test-server.ts'

/*
 * Commands of the guides and of the README, pasted as they stand by somebody in a checkout: each has to succeed, and each request to
 * be answered as the guide means it. Only addresses of this machine are others, for tests run beside each other.
 */

const ROOT = path.join(import.meta.dirname, '..', '..')

/** Guides whose commands need what is not here, and the tests that give it to them. */
const ELSEWHERE: Record<string, string> = {
  'moving.md': 'command-line.test.ts, with services to move from',
  'operations.md': 'backup.test.ts, restored.test.ts, command-line.test.ts',
  'sample-shop.md': '../browser/tracker-kills.test.ts',
  ...{ 'first-webhook.md': 'below', 'first-list.md': 'below' },
  'first-broadcast.md': 'sends thousands of mails; each of its acts is in a test of its own',
}
const HAS_JQ = spawnSync('jq', ['--version']).status === 0

/** Requests that a guide shows being refused. */
const REFUSED: Record<string, RegExp> = { 'templates.md': /^422 POST \S+\/api\/templates$/ }

/** A list that takes over 1.5 s to count, as on a machine that does other things too. */
const COUNTED_TOO_LATE = /^422 GET \S+segmentId=1/

/** Programs that are not ours, or asked for by `npx`, which looks for them elsewhere where they are not installed. */
const PROGRAMS: Record<string, string> = {
  curl: `exec "$(PATH="$OUTER_PATH" command -v curl)" -w '%{stderr}answered %{http_code} %{method} %{url}\\n' "$@"`,
  npx: 'exec "$@"',
  ...{ aws: 'exit 0', postconf: 'exit 0', postfix: 'exit 0' },
}

const commandsOf = (text: string) =>
  [...text.matchAll(/^( *)```sh\n([\s\S]*?)^\1```/gm)].map(([, indent, block]) =>
    block!.replaceAll(RegExp(`^${indent}`, 'gm'), ''),
  )

type Checkout = {
  /** What a block prints. One that starts the service, or a program beside it, prints nothing. */
  paste(block: string): Promise<string>
  /** Begins anew with the shell: nothing is set, nothing runs beside it, and nobody is being erased, which takes all files of exports. */
  openTerminal(): Promise<void>
  close(): Promise<void>
}

/** A directory as a checkout, a terminal in it, and the service as its blocks start it, on a database of its own. */
async function openCheckout(): Promise<Checkout> {
  const [place, database] = [await makeTempDir(), await createTestDatabase()]
  const [port, receiverPort, dnsPort] = [await freePort(), await freePort(), await freePort()]
  const [dataDir, bin] = [path.join(place, '.postroom'), path.join(place, 'bin')]
  const settings = {
    ...{ DATABASE_URL: database.url, ENCRYPTION_KEY: randomBytes(32).toString('base64'), DATA_DIR: dataDir },
    ...{ MAILBOX_ADDR: '127.0.0.1:0', BOOTSTRAP_EMAIL: 'owner@postroom.localhost', BOOTSTRAP_WORKSPACE: 'Example' },
  }
  for (const name of ['postroom', 'docs', 'node_modules']) await symlink(path.join(ROOT, name), path.join(place, name))
  await mkdir(bin)
  for (const [name, lines] of Object.entries(PROGRAMS)) {
    await writeFile(path.join(bin, name), `#!/bin/sh\n${lines}\n`)
    await chmod(path.join(bin, name), 0o755)
  }
  const { PATH, NODE_COMPILE_CACHE } = process.env
  const env = { ...settings, ...PATIENCE, HOME: place, PATH: `${bin}:${PATH}`, OUTER_PATH: PATH, NODE_COMPILE_CACHE }
  let terminal = openTerminal({ cwd: place, env })
  let instance: Instance | undefined
  let given: Record<string, string> = {}

  const begin = async () => {
    await instance?.stop()
    instance = await startInstance({ dataDir, port, env: { ...settings, ...given } })
    // An embedded database would have it there.
    await rename(path.join(dataDir, 'credentials.new.txt'), path.join(dataDir, 'credentials.txt')).catch(
      () => undefined,
    )
    return instance
  }
  const here = (block: string) =>
    block
      .replaceAll('localhost:3000', `127.0.0.1:${port}`)
      .replaceAll('127.0.0.1:4000', `127.0.0.1:${receiverPort}`)
      .replaceAll('127.0.0.1:5300', `127.0.0.1:${dnsPort}`)
  return {
    async paste(block) {
      const [, words] = /^((?:[A-Z_]+=\S+ )*)npm start\n$/.exec(here(block)) ?? []
      if (words !== undefined) {
        given = Object.fromEntries([...words.matchAll(/([A-Z_]+)=(\S+)/g)].map(([, name, value]) => [name!, value!]))
        await begin()
        return ''
      }
      const { pid } = instance ?? (await begin())
      if (/docs\/examples\/(?:receiver|dns)\.mjs/.test(block)) {
        const printed = terminal.beside(`export PORT=${receiverPort} DNS_PORT=${dnsPort}\n${here(block)}`)
        await eventually(block, () => /^(?:Listening|Answers) on/m.test(printed()))
        return ''
      }
      const said = await terminal.run(here(block).replace(/(?<=kill -9 )\$\(ls .postroom\/lock .*\)/, String(pid)))
      if (block.includes('kill -9')) await begin()
      return said
    },
    async openTerminal() {
      await terminal.close()
      await eventually('erasures are done', () => withClient(database.superuserUrl, isNobodyErased))
      terminal = openTerminal({ cwd: place, env })
    },
    async close() {
      await terminal.close()
      await instance?.stop()
      await database.drop()
      await rm(place, { recursive: true, force: true })
    },
  }
}

async function isNobodyErased(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query(`select from erasures where state <> 'done' limit 1`)
  return rows.length === 0
}

/** Pastes blocks one after the other. Each request has to be answered as it is meant. */
async function pasteAll({ paste }: Checkout, blocks: readonly string[], mayBeRefused?: RegExp): Promise<string[]> {
  const said: string[] = []
  for (const block of blocks) {
    const text = await paste(block)
    const answers = [...text.matchAll(/^answered (\d{3} .*)$/gm)].map(([, answer]) => answer!)
    const refused = answers.filter((answer) => !/^[23]/.test(answer) && !mayBeRefused?.test(answer))
    assert.deepEqual(refused, [], `${block}\n${text}`)
    said.push(text)
  }
  return said
}

test('the commands of each guide can be pasted one after the other', async (t) => {
  const checkout = await openCheckout()
  t.after(() => checkout.close())
  const names = (await readdir(path.join(ROOT, 'docs', 'guides'))).filter((name) => name.endsWith('.md')).sort()
  for (const name of names.filter((one) => !(one in ELSEWHERE))) {
    const guide = await readFile(path.join(ROOT, 'docs', 'guides', name), 'utf8')
    const blocks = commandsOf(guide)
    if (blocks.length === 0) continue
    const skip = !HAS_JQ && blocks.some((block) => /\bjq\b/.test(block)) && 'jq is not installed'
    await t.test(name, { skip }, async () => {
      await checkout.openTerminal()
      await pasteAll(checkout, blocks, REFUSED[name])
    })
  }
})

const guideOf = async (name: string) => commandsOf(await readFile(path.join(ROOT, 'docs', 'guides', name), 'utf8'))

/** The commands under a heading of the README. */
const chapterOf = async (heading: string) => {
  const [, after] = (await readFile(path.join(ROOT, 'README.md'), 'utf8')).split(`\n## ${heading}\n`)
  return commandsOf(after!.split('\n## ')[0]!)
}

test('the first request of the README sends a mail, which the command beside it names', async (t) => {
  const checkout = await openCheckout()
  t.after(() => checkout.close())
  const [said] = await pasteAll(checkout, await chapterOf('Your first request'))
  assert.match(said!, /answered 202 POST/)
  assert.match(said!, /^\d+ +transactional +\w+/m)
})

test('the first walks go as they say: a webhook through a kill, then a list, a segment, a domain and the audit trail', async (t) => {
  const checkout = await openCheckout()
  t.after(() => checkout.close())
  const webhook = await guideOf('first-webhook.md')
  const log = webhook.pop()!
  await pasteAll(checkout, webhook)
  const [counted, deliveries] = log.trimEnd().split('\n') as [string, string]
  await eventually('each order has come', async () => /^100\n/.test(await checkout.paste(counted)))
  assert.match(await checkout.paste(deliveries), /^\d+ +order\.paid +delivered /m)

  const list = await guideOf('first-list.md')
  const all = (await pasteAll(checkout, list, COUNTED_TOO_LATE)).join('\n')
  assert.match(all, /"created": 4999,/)
  assert.match(all, /^78,"?\/?email must be an email address.*nobody/m)
  assert.match(all, /"verified":true/)
  assert.match(all, /^default: .*intact/m)
})
