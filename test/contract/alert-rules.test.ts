import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import { SPECIFIED } from './specified-metrics.ts'

/** Its collector of garbage runs less often: that is a third of the time that promtool takes. */
const run = (program: string, args: string[], options: { cwd?: string } = {}) =>
  promisify(execFile)(program, args, { ...options, env: { ...process.env, GOGC: '400' } })
const OPS = path.join(import.meta.dirname, '..', '..', 'ops', 'prometheus')

/** The specification's table (Example alert rules): name, severity, duration, and the numbers its condition names. */
const ALERTS: readonly [name: string, severity: string, duration: string, numbers: string[]][] = [
  ['ServiceDown', 'critical', '5m', ['== 0']],
  ['ServiceCollectErrorRatioHigh', 'critical', '10m', ['[5m]', '> 0.01']],
  ['ServiceSiteErrorRatioHigh', 'warning', '10m', ['> 0.05']],
  ['ServiceApiErrorRatioHigh', 'warning', '10m', ['> 0.05']],
  ['ServiceRequestLatencyHigh', 'warning', '15m', ['0.95', '> 2000']],
  ['ServiceOutboxLagHigh', 'warning', '10m', ['> 300']],
  ['ServiceEventHandlerErrors', 'warning', '15m', ['[10m]', '> 0.05']],
  ['ServiceJobQueueBacklog', 'warning', '15m', ['> 900']],
  ['ServiceJobFailureRatioHigh', 'warning', '30m', ['[15m]', '> 0.2']],
  ['ServiceDBPoolSaturated', 'warning', '10m', ['>= 0.9']],
  ['ServiceDBPoolWaits', 'warning', '15m', ['[15m]', '> 100']],
  ['ServiceEmailSendErrorsHigh', 'warning', '15m', ['[15m]', '> 0.1']],
  ['ServiceEmailBounceRateHigh', 'warning', '30m', ['[1h]', '> 0.05', '> 100']],
  ['ServiceEmailComplaintRateHigh', 'critical', '30m', ['[1h]', '> 0.001', '> 1000']],
]

const alertsText = await readFile(path.join(OPS, 'alerts.yml'), 'utf8')
const objectivesText = await readFile(path.join(OPS, 'objectives.yml'), 'utf8')

/** The text of each rule, by its alert. */
function rulesOf(text: string): Map<string, string> {
  const parts = text.split(/^ +- (?:alert: |name: )/m).slice(1)
  return new Map(parts.filter((part) => part.startsWith('Service')).map((part) => [part.split('\n', 1)[0]!, part]))
}

const promtool = process.env.PROMTOOL ?? 'promtool'
const isThere = await run(promtool, ['--version']).then(
  () => true,
  () => false,
)
const needsPromtool = isThere ? {} : { skip: 'promtool is not installed' }
const scratch = await mkdtemp(path.join(tmpdir(), 'postroom-alerts-'))
after(() => rm(scratch, { recursive: true, force: true }))

/**
 * The alerts of which some unit test fails with these rules. A file of tests gets only rules that it names: promtool evaluates each rule
 * it is given at each minute of each test, and a rule changes no other.
 */
async function noticed(rules: ReadonlyMap<string, string>, name: string): Promise<Set<string>> {
  const tests: string[] = []
  for (const file of await readdir(path.join(OPS, 'tests'))) {
    const text = await readFile(path.join(OPS, 'tests', file), 'utf8')
    const named = [...rules].filter(([alert]) => text.includes(`alertname="${alert}"`))
    if (named.length === 0) continue
    const dir = path.join(scratch, name, file)
    await mkdir(path.join(dir, 'tests'), { recursive: true })
    const list = named.map(([, rule]) => `      - alert: ${rule}`).join('')
    await writeFile(path.join(dir, 'alerts.yml'), `groups:\n  - name: changed\n    rules:\n${list}`)
    await writeFile(path.join(dir, 'tests', file), text)
    tests.push(path.join(dir, 'tests', file))
  }
  const { stdout, stderr } = await run(promtool, ['test', 'rules', ...tests]).catch(
    (failed: { stdout: string; stderr: string }) => failed,
  )
  return new Set(`${stdout}${stderr}`.match(/\bService[A-Z]\w+/g))
}

test('the fourteen alerts are those of the specification, with its severities, durations and numbers', () => {
  const rules = rulesOf(alertsText)
  assert.deepEqual(
    [...rules.keys()],
    ALERTS.map(([name]) => name),
  )
  for (const [name, severity, duration, numbers] of ALERTS) {
    const rule = rules.get(name)!
    assert.match(rule, new RegExp(`severity: ${severity} `), name)
    assert.match(rule, new RegExp(`\n +for: ${duration}\n`), name)
    for (const number of numbers) assert.ok(rule.includes(number), `${name} ${number}`)
    assert.match(rule, /summary: .+\n +action: .+/, name)
  }
})

test('an alert of our own names what the guide describes', async () => {
  const text = await readFile(path.join(OPS, 'additions.yml'), 'utf8')
  const guide = await readFile(path.join(OPS, '..', '..', 'docs', 'guides', 'metrics.md'), 'utf8')
  const named = [...text.matchAll(/\bpostroom_\w+?(?=_(?:count|bucket|sum)\b|\b)/g)].map(([name]) => name)
  assert.deepEqual(
    new Set(named),
    new Set([
      'postroom_event_loop_stall_seconds',
      'postroom_installation_held',
      'postroom_automation_faults',
      'postroom_database_ready',
      'postroom_journal_kept',
      'postroom_outbox_parked_rows',
      'postroom_nightly_backup_failed',
      'postroom_last_backup_timestamp_seconds',
    ]),
  )
  for (const name of named) assert.ok(guide.includes(`\`${name}\``), name)
  const alerts = [...text.matchAll(/^ +- alert: (\w+)$/gm)].map(([, name]) => name!)
  assert.deepEqual(alerts, [
    'PostroomEventLoopStalls',
    'PostroomInstallationHeld',
    'PostroomAutomationFaults',
    'PostroomDatabaseAway',
    'PostroomJournalNotKept',
    'PostroomEventsParked',
    'PostroomNightlyBackupFailed',
    'PostroomBackupOld',
  ])
  for (const name of alerts) assert.ok(guide.includes(name), name)
})

test('rules name only metrics and labels that are exposed', () => {
  const exposed = new Map(SPECIFIED.map(([name, , labels]) => [name, labels.split(' ')]))
  for (const [, name, matchers] of `${alertsText}${objectivesText}`.matchAll(
    /(?<![\w:])((?:ogen|watermill|river|outbox|db|email)_\w+)(?:\{([^}]*)\})?/g,
  )) {
    const labels = exposed.get(name!) ?? exposed.get(name!.replace(/_(bucket|sum|count)$/, ''))
    assert.ok(labels, name)
    for (const [, label] of (matchers ?? '').matchAll(/(\w+)(?==|!=)/g))
      assert.ok(labels.includes(label!), `${name} ${label}`)
  }
})

test('every alert fires when it should and is silent when it should be', needsPromtool, async () => {
  const files = ['alerts.yml', 'additions.yml', 'objectives.yml'].map((file) => path.join(OPS, file))
  await run(promtool, ['check', 'rules', ...files])
  const tests = (await readdir(path.join(OPS, 'tests'))).map((file) => path.join(OPS, 'tests', file))
  await run(promtool, ['test', 'rules', ...tests])
})

test('the board asks for what the guide describes, and each of its questions can be asked', async (t) => {
  const board = JSON.parse(await readFile(path.join(OPS, '..', 'grafana', 'postroom.json'), 'utf8'))
  const guide = await readFile(path.join(OPS, '..', '..', 'docs', 'guides', 'metrics.md'), 'utf8')
  const targets = board.panels.flatMap((panel: { targets?: { expr: string }[] }) => panel.targets ?? [])
  const questions: string[] = targets.map(({ expr }: { expr: string }) => expr.replaceAll('$__rate_interval', '5m'))
  assert.ok(questions.length > 25)
  for (const question of questions) {
    for (const [name] of question.matchAll(
      /(?<![\w:"])(?:ogen|watermill|river|outbox|db|email|postroom|objective)[_:][\w:]+/g,
    )) {
      const isKnown = name.startsWith('objective:')
        ? objectivesText.includes(`record: ${name}`)
        : guide.includes(name.replace(/_bucket$/, ''))
      assert.ok(isKnown, name)
    }
  }
  if (!isThere) return t.skip('promtool is not installed')
  const rules = questions.map((question, index) => ({ record: `panel:${index}`, expr: question }))
  const file = path.join(scratch, 'board.json')
  await writeFile(file, JSON.stringify({ groups: [{ name: 'board', rules }] }))
  await run(promtool, ['check', 'rules', file])
})

test('no threshold, window, duration or volume of an alert can change unnoticed', needsPromtool, async () => {
  const changes: [what: string, from: string | RegExp, to: string][] = [
    ['a lower threshold', /(>=?) ([\d.]+)(?=\n)/, '$1 $2 * 0.95'],
    ['a higher threshold', /(>=?) ([\d.]+)(?=\n)/, '$1 $2 * 1.05'],
    ['a shorter duration', /for: (\d+)m/, 'for: $1m1s'],
    ['a longer duration', /for: (\d+)m/, 'for: $1m30s'],
    ['a longer window', /\[(\d+[mh])\]/g, '[2d]'],
    ['a smaller volume', /\) > 100(0?)\n/, ') > 90$1\n'],
    ['a larger volume', /\) > 100(0?)\n/, ') > 105$1\n'],
  ]
  const rules = rulesOf(alertsText)
  const look = async ([what, from, to]: (typeof changes)[number]) => {
    const changed = new Map<string, string>()
    for (const [alert, rule] of rules) {
      const other = rule.replace(from, to)
      if (other !== rule) changed.set(alert, other)
    }
    const seen = await noticed(changed, what)
    return [...changed.keys()].map((alert) => ({ change: `${alert} with ${what}`, seen: seen.has(alert) }))
  }
  const looked = [
    ...(await Promise.all(changes.slice(0, 4).map(look))),
    ...(await Promise.all(changes.slice(4).map(look))),
  ]
  const all = looked.flat()
  assert.ok(all.length > 60, String(all.length))
  assert.deepEqual(
    all.filter(({ seen }) => !seen).map(({ change }) => change),
    [],
  )
})
