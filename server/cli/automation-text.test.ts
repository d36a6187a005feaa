import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { testWorkspace } from '../../test/support/workspace.ts'
import type { Caller } from '../modules/auth/caller.ts'
import { updateAutomation } from '../modules/automations/definition/manage-automations.ts'
import { readAutomation } from '../modules/automations/definition/read-automations.ts'
import { createCompiledCache } from '../modules/templates/compiled-cache.ts'
import { apply, pull } from './automation-text.ts'
import { CommandError } from './command-error.ts'
import { operator } from './operator.ts'
import type { WorkspaceContext } from './saying.ts'
import { test as play } from './test-automation.ts'

const { pool, workspaceId } = await testWorkspace()
const context = { pools: { sql: pool }, caller: operator(workspaceId) } as WorkspaceContext
const directory = await mkdtemp(path.join(os.tmpdir(), 'postroom-automation-text-'))
after(() => rm(directory, { recursive: true }))
const file = path.join(directory, 'carts.json')
const write = (form: object) => writeFile(file, JSON.stringify(form))
const applied = (given: object = {}) => apply(context, { file, inside: 'stay', ...given })

const definition = (days: number) => ({
  ...{ format: 1, enter: { on: [{ event: 'cart.left' }] }, start: 'rest' },
  nodes: { rest: { type: 'delay', days, to: 'end' } },
})
const story = (name: string) => ({ name, given: [{ event: 'cart.left' }], expect: [{ end: 'completed' }] })

test('a file without scenarios leaves those of the server, and one with a list replaces none that were changed there', async () => {
  await write({ name: 'Carts', definition: definition(1), scenarios: [story('Own')] })
  await applied({ publish: true })
  const { id } = JSON.parse(await readFile(file, 'utf8'))
  const names = async () => (await readAutomation(pool, { workspaceId, id })).scenarios.map(({ name }) => name)
  await write({ id, name: 'Carts', definition: definition(2) })
  await applied({ publish: true })
  assert.deepEqual(await names(), ['Own'])
  const own = { id, name: 'Carts', definition: definition(2) }
  await write({ ...own, scenarios: [story('Other')] })
  await applied()
  assert.deepEqual(await names(), ['Other'], 'the command line has written those before')

  const actor = { kind: 'user', id: '1', name: 'Ada' } as const
  const ada: Caller = { ...context.caller, actor }
  const deps = { sql: pool, compiled: createCompiledCache() }
  await updateAutomation(deps, ada, { id, change: { scenarios: [story('Ada')] }, ifMatch: undefined })
  await assert.rejects(
    applied(),
    (error) => error instanceof CommandError && /scenarios .* would be lost/.test(error.message),
  )
  await write(own)
  await applied()
  assert.deepEqual(await names(), ['Ada'])
  await write({ ...own, scenarios: [] })
  await assert.rejects(applied(), CommandError)
  const { json } = await play(context, { what: id })
  assert.equal((json as { passed: boolean }).passed, true)
  const [, tag] = /draft (\S+)$/.exec((await pull(context, { id, file: path.join(directory, 'pulled.json') })).text)!
  await applied({ draft: tag })
  assert.deepEqual(await names(), [])
  await pull(context, { id, file })
  assert.deepEqual(JSON.parse(await readFile(file, 'utf8')).scenarios, [])
})

test('scenarios that take too much are given up, and the command says so', async () => {
  const ways = [{ if: { rules: [{ field: 'tag', operator: 'has', value: 'vip' }] }, to: 'end' }]
  const nodes = {
    rest: { type: 'delay', hours: 1, to: 'who' },
    who: { type: 'branch', ways, else: 'again' },
    again: { type: 'tag', add: ['Late'], to: 'rest' },
  }
  const enter = { on: [{ event: 'cart.left' }], again: { mode: 'every', key: 'cartId' } }
  const given = Array.from({ length: 10 }, (_, n) => ({ event: 'cart.left', data: { cartId: String(n) } }))
  const scenarios = Array.from({ length: 50 }, (_, n) => ({ name: String(n), given, expect: [] }))
  await write({ name: 'Waits', definition: { ...definition(1), enter, nodes }, scenarios })
  const said = /take too much time|can be taken on/
  await assert.rejects(
    play(context, { what: file }),
    (error) => error instanceof CommandError && said.test(error.message),
  )
})
