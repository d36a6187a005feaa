import type { Acts } from './acts.ts'
import type { Doer } from './doer.ts'
import { idOf, keep } from './slots.ts'
import { ADDRESSES, TAGS } from './world.ts'

const named = (who: Doer) => `By an agent ${Math.floor(who.random() * 1e12)}`

/** Has an agent make something, now and then twice at once, as one does that heard no answer: of each name there is one. */
async function make(who: Doer, tool: string, input: object): Promise<string | undefined> {
  const name = named(who)
  const made = await Promise.all(
    Array.from({ length: who.pick([1, 1, 2]) }, () => who.useTool(tool, { name, ...input })),
  )
  const done = made.flatMap((one) => (one === undefined ? [] : [String(one.id)]))
  if (done.length > 0) who.world.made.push({ tool, name })
  return done[0]
}
const rule = (who: Doer) =>
  JSON.stringify({ combinator: 'and', rules: [{ field: 'tag', operator: 'has', value: who.pick(TAGS) }] })

/** Agents do by their tools what others do by page and by program. */
export const agentActs: Acts = {
  agentUpserts: {
    weight: 3,
    run: async (who) => {
      const input = { email: who.pick(ADDRESSES), firstName: who.pick(['Ada', 'Grace']), tags: [who.pick(TAGS)] }
      const one = await who.useTool('contact_upsert', input)
      if (one !== undefined) keep(who, 'people', { answer: { status: 200, json: one }, max: 8 })
    },
  },
  agentTags: {
    weight: 4,
    run: (who) =>
      who.useTool('contact_tag', {
        contactId: idOf(who, 'people'),
        add: [who.pick(TAGS)],
        ...(who.chance(50) ? { remove: [who.pick(TAGS)] } : {}),
      }),
  },
  agentSavesTemplate: {
    weight: 1,
    run: async (who) => {
      const id = await make(who, 'template_save', {
        subject: `Letter ${Math.floor(who.random() * 1e9)}`,
        body: '<p>Order {{ order }}</p>',
      })
      if (id !== undefined) keep(who, 'templates', { answer: { status: 201, json: { id } }, max: 2 })
    },
  },
  agentChangesTemplate: {
    weight: 2,
    run: (who) =>
      who.useTool('template_change', {
        templateId: idOf(who, 'templates'),
        ...{ subject: `Letter ${Math.floor(who.random() * 1e9)}`, body: '<p>Order {{ order }}</p>' },
      }),
  },
  agentSavesSegment: {
    weight: 1,
    run: async (who) => {
      const id = await make(who, 'segment_save', { definition: rule(who) })
      if (id !== undefined) keep(who, 'segments', { answer: { status: 201, json: { id } }, max: 2 })
    },
  },
  agentDrafts: {
    weight: 2,
    run: async (who) => {
      await make(who, 'broadcast_draft', {
        subject: 'Draft',
        body: '<p>Hello. <a href="{{ unsubscribe_url }}">Out</a></p>',
      })
    },
  },
  agentStops: {
    weight: 1,
    run: (who) =>
      who.useTool('broadcast_stop', {
        broadcastId: idOf(who, who.pick(['broadcasts', 'asked'] as const)),
        act: who.pick(['pause', 'unschedule', 'cancel']),
      }),
  },
  agentAsks: {
    weight: 4,
    run: async (who) => {
      const input = { act: 'broadcast', broadcastId: idOf(who, 'asked') }
      await Promise.all(Array.from({ length: who.pick([1, 2]) }, () => who.useTool('send_request', input)))
    },
  },
}
