import assert from 'node:assert/strict'
import test from 'node:test'
import { findingsIn } from './import-rules.ts'
import { sdkFindings } from './sdk-rules.ts'

const PACKAGES = new Set(['pg', 'fastify', '@fastify/swagger'])

/** The messages for a project of these files. */
function messagesFor(files: Record<string, string>): string[] {
  const sources = Object.entries(files).map(([path, text]) => ({ path, text: `${text}\n` }))
  return findingsIn(sources, PACKAGES).map(({ path, line, message }) => `${path}:${line} ${message}`)
}

function isAllowed(path: string, text: string): void {
  assert.deepEqual(messagesFor({ [path]: text }), [])
}

function isRefused(path: string, text: string, message: RegExp): void {
  const messages = messagesFor({ [path]: text })
  assert.equal(messages.length, 1, messages.join('\n') || `${path} was let through`)
  assert.match(messages[0]!, message)
}

test('platform imports packages, Node and platform, and nothing that knows the product', () => {
  isAllowed('server/platform/db/pool.ts', "import pg from 'pg'\nimport { a } from './a.ts'\nimport fs from 'node:fs'")
  isRefused('server/platform/db/pool.ts', "import { a } from '../../catalogue/a.ts'", /imports only platform/)
  isRefused('server/platform/db/pool.ts', "import { a } from '../../modules/x/a.ts'", /imports only platform/)
  isRefused('server/platform/db/pool.ts', "import { a } from '../../config.ts'", /imports only platform/)
})

test('the catalogue imports platform, and no package', () => {
  isAllowed('server/catalogue/problems.ts', "import { a } from '../platform/problem.ts'")
  isRefused('server/catalogue/problems.ts', "import { a } from '../modules/x/a.ts'", /catalogue imports only/)
  isRefused('server/catalogue/problems.ts', "import pg from 'pg'", /is lists/)
})

test('a module uses what others do, not how they store, route or assemble it', () => {
  isAllowed('server/modules/x/a.ts', "import { a } from '../y/do-it.ts'\nimport type { M } from '../module.ts'")
  isAllowed('server/modules/x/a.ts', "import { a } from './queries.ts'")
  for (const file of ['queries', 'delivery-queries', 'api', 'site', 'collect', 'routes', 'token-routes', 'module']) {
    isRefused('server/modules/x/a.ts', `import { a } from '../y/${file}.ts'`, /is its own/)
    isRefused('server/modules/x/a.ts', `import type { A } from '../y/${file}.ts'`, /is its own/)
  }
  isRefused('server/modules/x/a.ts', "import { a } from '../../compose.ts'", /do not know who puts them together/)
  isAllowed('server/compose.ts', "import { a } from './modules/y/module.ts'")
  isRefused('server/cli/token.ts', "import { a } from '../modules/y/queries.ts'", /is its own/)
})

test('a sub-room keeps its queries and routes from the others, and may use those of its module', () => {
  isAllowed('server/modules/x/run/a.ts', "import { a } from './run-queries.ts'")
  isAllowed('server/modules/x/run/a.ts', "import { a } from '../queries.ts'")
  isAllowed('server/modules/x/report/a.ts', "import { a } from '../run/do-it.ts'")
  isAllowed('server/modules/x/module.ts', "import { a } from './run/act-routes.ts'")
  isRefused('server/modules/x/report/a.ts', "import { a } from '../run/run-queries.ts'", /a sub-room's run-queries/)
  isRefused('server/modules/x/a.ts', "import { a } from './run/run-queries.ts'", /a sub-room's run-queries/)
  isRefused('server/modules/x/module.ts', "import { a } from './run/run-queries.ts'", /a sub-room's run-queries/)
  isRefused('server/modules/y/a.ts', "import { a } from '../x/run/run-queries.ts'", /a module's run-queries/)
  isAllowed('server/modules/x/run/act-routes.ts', "import type { FastifyRequest } from 'fastify'")
})

test('imports are seen in every form: several lines, side effects, hand-ons, at run time, as types', () => {
  const path = 'server/platform/a.ts'
  isRefused(path, "import {\n  a,\n  type B,\n} from '../catalogue/a.ts'", /imports only platform/)
  isRefused(path, "import '../catalogue/a.ts'", /imports only platform/)
  isRefused(path, "export { a } from '../catalogue/a.ts'", /imports only platform/)
  isRefused(path, "import * as all from '../catalogue/a.ts'", /imports only platform/)
  isRefused(path, "const a = await import('../catalogue/a.ts')", /imports only platform/)
  isAllowed(path, "export const text = 'import'\nexport function f() {\n  return `select 1 from 'x'`\n}")
})

test('the HTTP framework appears in route files, platform/http and the doors before the routes', () => {
  const typed = "import type { FastifyRequest } from 'fastify'"
  isAllowed('server/modules/x/api.ts', typed)
  isAllowed('server/modules/x/token-routes.ts', typed)
  isAllowed('server/platform/http/server.ts', "import swagger from '@fastify/swagger'")
  isAllowed('server/modules/auth/guard-api.ts', typed)
  isRefused('server/modules/x/do-it.ts', typed, /HTTP framework/)
  isRefused('server/platform/db/pool.ts', typed, /HTTP framework/)
  isAllowed('server/modules/auth/caller.ts', "declare module 'fastify' {}")
  isRefused('server/modules/x/do-it.ts', "declare module 'fastify' {}", /framework's types/)
  const page = "import { sendPage } from '../../platform/http/page.ts'"
  isAllowed('server/modules/x/form-pages.ts', page)
  isAllowed('server/modules/x/report-schemas.ts', page)
  isRefused('server/modules/x/do-it.ts', page, /platform\/http belongs to route files and schemas/)
})

test('only the settings read the environment, and tests may', () => {
  isAllowed('server/config.ts', 'export const a = process.env')
  isAllowed('server/modules/x/a.test.ts', 'export const a = process.env')
  isAllowed('bench/main.ts', 'export const a = process.env')
  isRefused(
    'server/main.ts',
    'const a = 1\nexport const b = process.env.PORT',
    /server\/main\.ts:2 reads the environment/,
  )
})

test('what runs needs no test and no package that is not a dependency', () => {
  isRefused('server/main.ts', "import { a } from '../test/support/a.ts'", /what tests it/)
  isRefused('server/platform/a.ts', "import { a } from './testing.ts'", /what tests it/)
  isRefused('server/main.ts', "import { Webhook } from 'standardwebhooks'", /not a dependency/)
  isAllowed('server/platform/a.test.ts', "import { a } from '../../test/support/a.ts'")
})

test('names that say nothing, files that are too long and files that hand everything on are refused', () => {
  for (const path of [
    'server/platform/utils/a.ts',
    'server/modules/x/helpers.ts',
    'server/modules/x/types.ts',
    'bench/index.ts',
  ]) {
    isRefused(path, '', /named after nothing/)
  }
  isAllowed('server/modules/x/shared-commits.ts', '')
  isRefused('server/main.ts', '\n'.repeat(400), /401 lines/)
  isAllowed('server/main.test.ts', '\n'.repeat(799))
  isRefused('server/main.test.ts', '\n'.repeat(800), /801 lines/)
  isRefused('server/modules/x/a.ts', "export * from './b.ts'", /hands on a whole file/)
})

test('a route file has no function beyond 70 lines, however it is written', () => {
  const lines = (count: number) => '\n  act()'.repeat(count)
  const path = 'server/modules/x/routes.ts'
  isAllowed(path, `export function a(\n  app: App,\n): void {${lines(66)}\n}\nfunction b() {${lines(68)}\n}`)
  isRefused(path, `export function a(\n  app: App,\n): void {${lines(67)}\n}`, /a has 71 lines, at most 70/)
  isRefused(path, `export const a = async (app: App) => {${lines(69)}\n}`, /a has 71 lines/)
  isRefused(path, `class A {\n  b() {}\n}\n  async function inside() {${lines(69)}\n  }`, /inside has 71 lines/)
  isAllowed('server/modules/x/do-it.ts', `export function a() {${lines(90)}\n}`)
})

test('modules that need each other are named with the imports that make it so', () => {
  const messages = messagesFor({
    'server/modules/a/one.ts': "import type { T } from '../b/two.ts'",
    'server/modules/b/two.ts': "import { three } from '../c/three.ts'",
    'server/modules/c/three.ts': "\nimport { four } from '../a/four.ts'",
    'server/modules/a/four.ts': '',
  })
  assert.deepEqual(messages, [
    'server/modules/a/one.ts:1 is part of a cycle: a -> b -> c -> a (server/modules/a/one.ts:1, server/modules/b/two.ts:1, server/modules/c/three.ts:2)',
  ])
})

test('files that need each other are named, whether to run or only for their types', () => {
  const withImport = (form: string) => ({
    'server/platform/a.ts': "import { b } from './b.ts'",
    'server/platform/b.ts': `${form} { a } from './a.ts'`,
  })
  for (const form of ['import', 'import type']) {
    assert.match(messagesFor(withImport(form)).join(), /cycle: server\/platform\/a\.ts -> server\/platform\/b\.ts/)
  }
})

test('the client imports its own files alone', () => {
  const text = "import { a } from './a.ts'\nimport pg from 'pg'\nimport { hash } from 'node:crypto'\n"
  assert.deepEqual(
    sdkFindings(['sdk/src/x.ts', 'server/x.ts'].map((path) => ({ path, text }))).map(
      ({ path, line }) => `${path}:${line}`,
    ),
    ['sdk/src/x.ts:2', 'sdk/src/x.ts:3'],
  )
})
