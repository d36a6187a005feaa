import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { broadcastTools } from '../broadcasts/tools.ts'
import type { Agent, InsideRequest } from './agent.ts'
import { callTool, readyTool } from './call-tool.ts'

const drafting = readyTool(broadcastTools.find(({ name }) => name === 'broadcast_draft')!)
const answers = {
  ...{ id: '7', name: 'News', subject: 'Hi', body: '<p>Hi</p>', status: 'draft', fromEmail: null, topicId: null },
  ...{ segmentIds: [], excludedSegmentIds: [], scheduledAt: null, updatedAt: '2026-01-01T00:00:00Z' },
  ...{ ready: true, checks: [] },
}

/** An agent whose drafts are written down; `template` is what the template says by now. */
function agentWith(template: { subject: string }) {
  const made: InsideRequest[] = []
  const agent: Agent = {
    ...{ toolsets: undefined, readOnly: false, scopes: new Set(drafting.needs), isConnected: false },
    ...{ client: '', userAgent: null },
    async request(wanted) {
      if (wanted.method === 'POST') made.push(wanted)
      return { status: 200, body: { ...answers, ...template } }
    },
  }
  return { agent, made, keys: () => made.map(({ once }) => once) }
}

test('the same call is known again for ten minutes from the first one on, whatever the time of the first was', async () => {
  const { agent, keys } = agentWith({ subject: 'Hi' })
  const input = { name: 'News', templateId: '5' }
  mock.timers.enable({ apis: ['Date'], now: Date.parse('2026-01-01T11:59:59.999Z') })
  try {
    await callTool(agent, { tool: drafting, input })
    mock.timers.tick(1)
    await callTool(agent, { tool: drafting, input })
  } finally {
    mock.timers.reset()
  }
  const [first, second] = keys()
  assert.equal(first?.seconds, 600)
  assert.deepEqual(first, second)
})

test('a call that would make something else by now is another one', async () => {
  const template = { subject: 'Hi' }
  const { agent, keys } = agentWith(template)
  const input = { name: 'News', templateId: '5' }
  await callTool(agent, { tool: drafting, input })
  template.subject = 'Hello'
  await callTool(agent, { tool: drafting, input })
  const [first, second] = keys()
  assert.notEqual(first?.key, second?.key)
})
