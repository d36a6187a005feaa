import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { before, test } from 'node:test'
import { runInNewContext } from 'node:vm'
import { withSamples } from '../../server/samples/add-samples.ts'
import { addressOf, type Call, describedCall } from '../../server/samples/described-call.ts'
import type { Sample } from '../../server/samples/languages.ts'
import { JAVASCRIPT, literal, PHP, PYTHON } from '../../server/samples/literal.ts'
import { declaredApi } from '../support/route-table.ts'

/** Every call with its sample in each language. */
const calls: { call: Call; takesBody: boolean; sources: Record<string, string> }[] = []

before(async () => {
  const { paths } = withSamples(await declaredApi())
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const samples = operation['x-codeSamples'] as Sample[]
      const sources = Object.fromEntries(samples.map(({ label, source }) => [label, source]))
      const takesBody = operation.requestBody !== undefined
      calls.push({ call: describedCall(method, path, operation), takesBody, sources })
    }
  }
})

const sourcesIn = (label: string) => calls.map(({ sources }) => sources[label]!)

/** Runs a program over a text; undefined when this machine has no such program. */
function run(file: string, args: string[], input: string): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const child = execFile(file, args, { maxBuffer: 2 ** 26 }, (error, stdout, stderr) => {
      if (error?.code === 'ENOENT') resolve(undefined)
      else if (error) reject(new Error(stderr + stdout))
      else resolve(stdout)
    })
    child.stdin?.on('error', () => undefined)
    child.stdin?.end(input)
  })
}

test('every operation has a sample in each language', () => {
  assert.ok(calls.length > 150)
  for (const { call, sources } of calls)
    assert.deepEqual(Object.keys(sources), ['curl', 'TypeScript', 'Python', 'PHP'], call.operationId)
  for (const { call, takesBody } of calls) assert.equal(call.body !== undefined, takesBody, call.operationId)
})

test('the samples for the shell ask for what they are of', async () => {
  const stubs = `export POSTROOM_URL=http://x POSTROOM_TOKEN=prt_1
  uuidgen() { echo key; }
  curl() { printf '%s\\0' "$@"; printf '\\n\\0'; }
  `
  const said = await run('bash', ['-eu'], stubs + sourcesIn('curl').join('\n'))
  const given = said!.split('\n\0').map((one) => one.split('\0'))
  for (const [n, { call }] of calls.entries()) {
    const args = given[n]!
    assert.ok(
      args.includes(`http://x${addressOf(call)}`) && args.includes('Authorization: Bearer prt_1'),
      call.operationId,
    )
    assert.equal(args.includes('Idempotency-Key: key'), call.method === 'POST')
    const method = args.includes('-X') ? args[args.indexOf('-X') + 1] : 'GET'
    const body = args.includes('-d') ? JSON.parse(args[args.indexOf('-d') + 1]!) : undefined
    assert.deepEqual([method, body], [call.method, call.body], call.operationId)
  }
})

/** Runs each sample with a library that only writes down what it is asked. */
const PYTHON_STUBS = `
import json, os, sys, types
os.environ.update(POSTROOM_URL="http://x", POSTROOM_TOKEN="prt_1")
asked, requests = [], types.ModuleType("requests")
class Answer:
    text = ""
    def json(self): return ""
    def raise_for_status(self): pass
def note(method):
    def call(url, headers, **given):
        asked.append([method.upper(), url, headers["Authorization"], "Idempotency-Key" in headers, given])
        return Answer()
    return call
for method in ["get", "post", "put", "patch", "delete"]: setattr(requests, method, note(method))
sys.modules["requests"] = requests
printed, sys.stdout = sys.stdout, open(os.devnull, "w")
for source in json.load(sys.stdin): exec(compile(source, "sample", "exec"), {})
json.dump(asked, printed)
`

test('the samples in Python ask for what they are of', async (t) => {
  const said = await run('python3', ['-c', PYTHON_STUBS], JSON.stringify(sourcesIn('Python')))
  if (said === undefined) return t.diagnostic('no python3 here')
  const asked = JSON.parse(said)
  for (const [n, { call }] of calls.entries()) {
    const { method, body } = call
    const given = body === undefined ? {} : { json: body }
    assert.deepEqual(
      asked[n],
      [method, `http://x${addressOf(call)}`, 'Bearer prt_1', method === 'POST', given],
      call.operationId,
    )
  }
})

test('the samples in PHP are PHP', async (t) => {
  const said = await run('php', ['-l'], sourcesIn('PHP').join('\n?>\n'))
  if (said === undefined) return t.diagnostic('no php here')
  assert.match(said, /No syntax errors/)
})

test('a value is written as each language reads it', () => {
  const value = { text: `it's "$5" \\n`, lines: 'a\nb', none: null, yes: true, empty: {}, list: [1, 'x'], 'a-b': [] }
  assert.equal(
    literal(value, JAVASCRIPT),
    `{
  text: "it's \\"$5\\" \\\\n",
  lines: "a\\nb",
  none: null,
  yes: true,
  empty: {},
  list: [1, 'x'],
  'a-b': [],
}`,
  )
  assert.equal(JSON.stringify(runInNewContext(`(${literal(value, JAVASCRIPT)})`)), JSON.stringify(value))
  assert.equal(literal({ yes: true, none: null, 'a-b': 'x' }, PYTHON), '{"yes": True, "none": None, "a-b": "x"}')
  assert.equal(literal(value.text, PHP), `'it\\'s "$5" \\\\n'`)
  assert.equal(
    literal({ 'a-b': value.lines, empty: {}, costs: '5 $\n' }, PHP),
    `['a-b' => "a\\nb", 'empty' => new stdClass(), 'costs' => "5 \\$\\n"]`,
  )
})
