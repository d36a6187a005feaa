import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import http from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, type TestContext, test } from 'node:test'
import { promisify, stripVTControlCharacters } from 'node:util'
import { connectPage } from '../support/connect-page.ts'
import { send } from '../support/http-client.ts'
import { freePort } from '../support/instance.ts'
import { siteCaller } from '../support/site-caller.ts'
import { startTestedInstance } from '../support/tested-instance.ts'

/*
 * The official conformance suite of the Model Context Protocol against the service as it runs, in both eras: every scenario for
 * servers, and those for the authorization server. Scenarios of which a check fails are in expected-failures-*.yaml, each with
 * its reason; one that fails beside them fails here, and so does one of them that passes. The suite is installed for the run alone:
 * it brings a hundred packages that nothing else here needs.
 */

const SUITE = '@modelcontextprotocol/conformance@0.2.0-alpha.12'
/** The official client of the line before, and the official inspector, which is one of programs. */
const OLDER_CLIENT = '@modelcontextprotocol/sdk@1.32.2'
const INSPECTOR = '@modelcontextprotocol/inspector@2.12.0'
const INSTALL_TIMEOUT_MS = 300_000
const RUN_TIMEOUT_MS = 600_000
const ERAS = ['2025-11-25', '2026-07-28'] as const

const [port, doorPort] = [await freePort(), await freePort()]
const baseUrl = `http://127.0.0.1:${port}`
const instance = await startTestedInstance({
  ...{ PORT: String(port), APP_URL: baseUrl, MCP_ALLOWED_ORIGINS: `http://localhost:${doorPort}` },
})
const token = await instance.makeToken()
const site = siteCaller({ baseUrl, sql: instance.sql })
const directory = await mkdtemp(join(tmpdir(), 'postroom-conformance-'))
const door = await openDoor()
after(async () => {
  door.close()
  door.closeAllConnections()
  await instance.close()
  await rm(directory, { recursive: true })
})

/** The suite has no token to show: this stands between, and shows one. */
async function openDoor(): Promise<http.Server> {
  const server = http.createServer((request, response) => {
    const { method, url, headers } = request
    const asked = http.request(
      {
        ...{ host: '127.0.0.1', port, method, path: url },
        headers: { ...headers, authorization: `Bearer ${token}` },
      },
      (answer) => {
        response.writeHead(answer.statusCode!, answer.headers)
        answer.pipe(response)
      },
    )
    asked.on('error', () => response.destroy())
    request.pipe(asked)
  })
  await new Promise<void>((listening) => server.listen(doorPort, 'localhost', listening))
  return server
}

type Told = { said: string; code: number | null }

/** What the suite says, and with which code it ends; `onSaid` hears it while it goes on. */
function suite(args: readonly string[], onSaid: (said: string) => void = () => undefined): Promise<Told> {
  const program = join(directory, 'node_modules/@modelcontextprotocol/conformance/dist/index.js')
  const { promise, resolve } = Promise.withResolvers<Told>()
  const running = spawn(process.execPath, [program, ...args], { cwd: directory, timeout: RUN_TIMEOUT_MS })
  let said = ''
  for (const stream of [running.stdout, running.stderr])
    stream.on('data', (text: Buffer) => {
      said = stripVTControlCharacters(said + text)
      onSaid(said)
    })
  running.on('close', (code) => resolve({ said, code }))
  return promise
}

const run = promisify(execFile)

test('the suite and the foreign clients are installed', async () => {
  const packages = [SUITE, OLDER_CLIENT, INSPECTOR]
  await run('npm', ['install', '--no-audit', '--no-fund', '--prefix', directory, ...packages], {
    timeout: INSTALL_TIMEOUT_MS,
  })
})

const FOREIGNER = `
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
const [url, token] = process.argv.slice(2)
const client = new Client({ name: 'Older foreigner', version: '1' })
const requestInit = { headers: { authorization: 'Bearer ' + token } }
await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }))
const { tools } = await client.listTools()
const { structuredContent } = await client.callTool({ name: 'workspace_overview', arguments: {} })
const { prompts } = await client.listPrompts()
const { resources } = await client.listResources()
const { contents } = await client.readResource({ uri: 'postroom://docs/agents' })
await client.close()
console.log(JSON.stringify([tools.length >= 24, structuredContent.workspace.slug, prompts.length, resources.length > 20, contents[0].mimeType]))
`

test('the official client of the line before comes in, and uses what it finds', async () => {
  const path = join(directory, 'foreigner.mjs')
  await writeFile(path, FOREIGNER)
  const { stdout } = await run(process.execPath, [path, `${baseUrl}/mcp`, token], { timeout: RUN_TIMEOUT_MS })
  assert.deepEqual(JSON.parse(stdout), [true, 'default', 4, true, 'text/markdown'])
})

test('the inspector lists the tools and calls one from its command line', async () => {
  const program = join(directory, 'node_modules/.bin/mcp-inspector')
  const ask = async (...method: string[]) => {
    const header = ['--header', `Authorization: Bearer ${token}`]
    const args = ['--cli', `${baseUrl}/mcp`, '--transport', 'http', ...header, '--method', ...method]
    const { stdout } = await run(program, args, { cwd: directory, timeout: RUN_TIMEOUT_MS })
    return JSON.parse(stdout)
  }
  const { tools } = await ask('tools/list')
  assert.ok(tools.length >= 24)
  const { structuredContent } = await ask('tools/call', '--tool-name', 'workspace_overview')
  assert.equal(structuredContent.workspace.slug, 'default')
})

for (const era of ERAS) {
  test(`${era}: every scenario for servers passes, but those that are expected not to`, async (t) => {
    const expected = join(import.meta.dirname, `expected-failures-${era}.yaml`)
    const args = ['server', '--url', `http://localhost:${doorPort}/mcp`, '--suite', 'all', '--spec-version', era]
    const { said, code } = await suite([...args, '--expected-failures', expected])
    assert.equal(code, 0, said)
    t.diagnostic(/^Total: .*$/m.exec(said)?.[0] ?? said)
  })

  test(`${era}: an agent is let in as the scenarios for authorization servers want it`, async (t) => {
    const { said, code } = await authorization(t, era)
    assert.equal(code, 0, said)
    assert.match(said, /^Total: [1-9]\d* passed, 0 failed/m)
    assert.doesNotMatch(said, /SKIPPED|WARNING/)
  })
}

/** The suite is a client that registers, and leads a person to the page that asks whether it may come in. */
async function authorization(t: TestContext, era: string): Promise<Told> {
  const callbackPort = await freePort()
  const redirect = `http://127.0.0.1:${callbackPort}/callback`
  const { json } = await send('POST', `${baseUrl}/oauth/register`, {
    json: { client_name: 'Conformance', redirect_uris: [redirect] },
  })
  const person = await site.person(`Ada of ${era}`.replaceAll(' ', '-'), 'owner')
  let isLed = false
  const args = ['authorization', '--url', baseUrl, '--spec-version', era, '--client-id', json.client_id]
  const told = await suite([...args, '--port', String(callbackPort)], (said) => {
    const [, asked] = /^(http:\/\/\S+\/app\/connect-agent\?\S+)\n/m.exec(said) ?? []
    if (asked === undefined || isLed) return
    isLed = true
    const question = Object.fromEntries(new URL(asked).searchParams)
    connectPage(site)
      .consent(question, person)
      .then((led) => fetch(led))
      .catch((error: unknown) => t.diagnostic(String(error)))
  })
  t.diagnostic(/^Total: .*$/m.exec(told.said)?.[0] ?? '')
  return told
}
