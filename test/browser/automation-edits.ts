import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { eventually } from '../support/eventually.ts'
import { holdRequests } from './hold-requests.ts'
import type { World } from './world.ts'

/* Acts of somebody who builds an automation, for the files that test its pages. */

export const BODY = '<p>Hello. <a href="{{ unsubscribe_url }}">Unsubscribe</a></p>'
export const EMPTY = { format: 1, enter: { on: [{ manual: true }] }, start: 'end', nodes: {} }

type Node = Record<string, unknown>
export type Definition = { start: string; nodes: Record<string, Node>; enter: unknown; exit?: unknown }

/** Makes automations of a world, and reads their drafts. */
export function draftsOf(world: () => World) {
  const definitionOf = async (id: string): Promise<Definition> =>
    (await world().site('GET', `/automations/${id}`)).json.definition
  return {
    definitionOf,
    async made(name: string, definition: object = EMPTY): Promise<string> {
      return (await world().site('POST', '/automations', { name, definition })).json.id
    },
    async savedAs(id: string, what: string, holds: (definition: Definition) => boolean): Promise<Definition> {
      await eventually(what, async () => holds(await definitionOf(id)))
      return definitionOf(id)
    },
  }
}

/** Types of the steps in the order in which people come to them, along the first way of each. */
export function kindsOf({ start, nodes }: Definition): unknown[] {
  const kinds: unknown[] = []
  for (let id = start; nodes[id] !== undefined; id = String(nodes[id]!.to ?? nodes[id]!.late))
    kinds.push(nodes[id]!.type)
  return kinds
}

/** What the server refuses as long as the page is there. */
export function refusedOf(page: Page): string[] {
  const refused: string[] = []
  page.on('response', (answer) => {
    const path = new URL(answer.url()).pathname.replace(/[0-9]+$/, '')
    if (answer.status() === 422) refused.push(`${answer.request().method()} ${path}`)
  })
  return refused
}

/** A draft that is not whole yet is refused, which the browser notes; nothing else may be. */
export function assertOnlyDraftsRefused(faults: readonly string[], refused: readonly string[]): void {
  const noted = 'console: Failed to load resource: the server responded with a status of 422'
  const others = faults.filter((fault) => !fault.startsWith(noted))
  const elsewhere = refused.filter((one) => one !== 'PATCH /site/workspaces/default/automations/')
  assert.deepEqual({ others, elsewhere }, { others: [], elsewhere: [] })
}

/**
 * Keeps what others do to automations from the page, which looks every few seconds: its reads are on their way until it is let go. What
 * it saves arrives.
 */
export async function holdReads(page: Page): Promise<() => Promise<void>> {
  return (await holdRequests(page, 'GET', '/automations/*')).letGo
}

export async function addStep(page: Page, behind: string, search: string): Promise<void> {
  await page
    .getByRole('button', { name: `Add a step behind: ${behind}`, exact: true })
    .first()
    .click()
  await page.getByLabel('What is to happen').fill(search)
  await page.keyboard.press('Enter')
}
