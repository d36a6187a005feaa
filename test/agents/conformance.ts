import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import http from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { promisify, stripVTControlCharacters } from 'node:util'
import { freePort } from '../support/instance.ts'
import { startTestedInstance } from '../support/tested-instance.ts'

/*
 * The official conformance suite of the Model Context Protocol against the service as it runs, in both eras. The suite is
 * installed for the run alone: it brings a hundred packages that nothing else here needs.
 */

const SUITE = '@modelcontextprotocol/conformance@0.2.0-alpha.12'
const INSTALL_TIMEOUT_MS = 300_000
const SCENARIO_TIMEOUT_MS = 120_000

/** Scenarios of any server. The others ask for tools, prompts and subscriptions that the suite itself describes. */
const SCENARIOS: Readonly<Record<string, readonly string[]>> = {
  '2025-11-25': [
    ...['server-initialize', 'ping', 'tools-list', 'resources-list', 'prompts-list', 'dns-rebinding-protection'],
  ],
  '2026-07-28': [
    ...['tools-list', 'resources-list', 'prompts-list', 'sep-2164-resource-not-found', 'caching'],
    ...['http-header-validation', 'dns-rebinding-protection'],
  ],
}

const run = promisify(execFile)
const port = await freePort()
const instance = await startTestedInstance({ MCP_ALLOWED_ORIGINS: `http://localhost:${port}` })
const token = await instance.makeToken()
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
  const target = new URL(instance.baseUrl)
  const server = http.createServer((request, response) => {
    const { method, url, headers } = request
    const asked = http.request(
      {
        ...{ host: target.hostname, port: target.port, method, path: url },
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
  await new Promise<void>((listening) => server.listen(port, 'localhost', listening))
  return server
}

test('the suite is installed', async () => {
  await run('npm', ['install', '--no-audit', '--no-fund', '--prefix', directory, SUITE], {
    timeout: INSTALL_TIMEOUT_MS,
  })
})

for (const [version, scenarios] of Object.entries(SCENARIOS)) {
  for (const scenario of scenarios) {
    test(`${version}: ${scenario}`, async () => {
      const program = join(directory, 'node_modules/@modelcontextprotocol/conformance/dist/index.js')
      const asked = [
        'server',
        '--url',
        `http://localhost:${port}/mcp`,
        '--scenario',
        scenario,
        '--spec-version',
        version,
      ]
      const { stdout, stderr } = await run(process.execPath, [program, ...asked], {
        ...{ timeout: SCENARIO_TIMEOUT_MS, cwd: directory },
      }).catch((error: { stdout?: string; stderr?: string }) => ({
        stdout: error.stdout ?? '',
        stderr: error.stderr ?? '',
      }))
      const said = stripVTControlCharacters(`${stdout}\n${stderr}`)
      const [, passed, all, failed] = /^Passed: (\d+)\/(\d+), (\d+) failed/m.exec(said) ?? []
      assert.ok(Number(passed) > 0 && passed === all && failed === '0', said)
    })
  }
}
