import { Type } from 'typebox'
import { closed, oneOf } from '../../platform/schema/schemas.ts'
import { untrustedObject } from '../../platform/untrusted-text.ts'
import { BODY_CHARS_MAX, SUBJECT_CHARS_MAX, TEXT_CHARS_MAX } from '../templates/template-limits.ts'
import {
  type CallOperation,
  defineTool,
  IdInput,
  listed,
  listedOutput,
  MaybeText,
  PAGE_INPUT,
  pageQuery,
  Text,
  type Tool,
  Untrusted,
} from '../tool.ts'
import { BROADCAST_STATUSES } from './schemas.ts'

const Counts = Type.Unsafe<Record<string, number>>({ type: 'object', additionalProperties: { type: 'number' } })
const AgentBroadcast = Type.Object({
  ...{ id: Text, name: Text, subject: Text, status: Text, fromEmail: MaybeText, topicId: MaybeText },
  segmentIds: Type.Array(Text),
  excludedSegmentIds: Type.Array(Text),
  scheduledAt: MaybeText,
  updatedAt: Text,
})
const SegmentIds = Type.Optional(Type.Array(IdInput, { maxItems: 20 }))
const MaybeId = Type.Optional(IdInput)
const Check = Type.Object({ code: Text, severity: Text, detail: Text })

/** Mail to many, for agents: drafts, reports and the brake. Sending is asked for, never done. */
export const broadcastTools: readonly Tool[] = [
  defineTool({
    name: 'broadcasts_list',
    title: 'List broadcasts',
    toolset: 'broadcasts',
    needs: ['broadcasts:read'],
    effect: 'reads',
    description: 'Broadcasts, newest first, with the fates of their recipients.',
    input: closed({ status: Type.Optional(oneOf(BROADCAST_STATUSES)), ...PAGE_INPUT }),
    output: listedOutput(Type.Object({ ...AgentBroadcast.properties, counts: Counts })),
    async run(call, { status, ...page }) {
      const query = { status, sort: '-id', ...pageQuery(page) }
      return listed(await call('GET /api/broadcasts', { query }), (broadcast) => broadcast as never)
    },
  }),
  defineTool({
    name: 'broadcast_draft',
    title: 'Draft a broadcast',
    toolset: 'broadcasts',
    needs: ['broadcasts:read', 'broadcasts:write'],
    effect: 'makes',
    description:
      'Creates a draft, or changes the one of broadcastId; nothing is sent. templateId takes subject and body of a template. No segmentIds: everybody with an address. Answers what the preflight finds.',
    input: closed({
      broadcastId: MaybeId,
      name: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
      subject: Type.Optional(Type.String({ maxLength: SUBJECT_CHARS_MAX })),
      body: Type.Optional(Type.String({ maxLength: BODY_CHARS_MAX, description: 'MJML or HTML with Liquid' })),
      text: Type.Optional(Type.String({ maxLength: TEXT_CHARS_MAX })),
      ...{ templateId: MaybeId, topicId: MaybeId },
      ...{ segmentIds: SegmentIds, excludedSegmentIds: SegmentIds },
    }),
    output: Type.Object({ ...AgentBroadcast.properties, ready: Type.Boolean(), checks: Type.Array(Check) }),
    async run(call, { broadcastId, templateId, ...given }) {
      const body = { ...(await contentOf(call, templateId)), ...given }
      const broadcast =
        broadcastId === undefined
          ? await call('POST /api/broadcasts', { body, once: true })
          : await call(`PATCH /api/broadcasts/${broadcastId}`, { body })
      const { ready, checks } = await call(`GET /api/broadcasts/${broadcast.id}/preflight`)
      return { ...broadcast, ready, checks }
    },
  }),
  defineTool({
    name: 'broadcast_test',
    title: 'Test a broadcast',
    toolset: 'broadcasts',
    needs: ['broadcasts:send'],
    effect: 'makes',
    description: 'Sends it as it is to one member of the workspace, for a sample person and marked as a test.',
    input: closed({ broadcastId: IdInput, memberEmail: Type.String({ maxLength: 320 }) }),
    output: Type.Object({ queued: Type.Boolean() }),
    async run(call, { broadcastId, memberEmail: email }) {
      const body = { email, toMembersOnly: true }
      await call(`POST /api/broadcasts/${broadcastId}/test-send`, { body, once: true })
      return { queued: true }
    },
  }),
  defineTool({
    name: 'broadcast_report',
    title: 'Report on a broadcast',
    toolset: 'broadcasts',
    needs: ['broadcasts:read'],
    effect: 'reads',
    description:
      'Recipients by fate, opens and clicks of people, why it does not move; of a draft what the preflight finds and who would get it.',
    input: closed({ broadcastId: IdInput }),
    output: Type.Object({
      ...{ broadcast: AgentBroadcast, counts: Counts, untrusted: Untrusted },
      preflight: Type.Optional(
        Type.Object({
          ready: Type.Boolean(),
          recipientsCount: Type.Unsafe<number | null>({ type: ['integer', 'null'] }),
          checks: Type.Array(Check),
        }),
      ),
    }),
    async run(call, { broadcastId }) {
      const path = `/api/broadcasts/${broadcastId}` as const
      const broadcast = await call(`GET ${path}`)
      const [report, explanation] = await Promise.all([call(`GET ${path}/report`), call(`GET ${path}/explain`)])
      const preflight = broadcast.status === 'draft' ? await call(`GET ${path}/preflight`) : undefined
      return {
        broadcast,
        counts: numbersOf(report),
        ...(preflight ? { preflight } : {}),
        // Findings name the domains of receivers, and links may be personal.
        untrusted: untrustedObject(reasonsOf(report, explanation)),
      }
    },
  }),
  defineTool({
    name: 'broadcast_stop',
    title: 'Pause or cancel a broadcast',
    toolset: 'broadcasts',
    needs: ['broadcasts:send'],
    effect: 'ends',
    description:
      'The brake: pauses a broadcast that is being sent, takes one back from its schedule, or cancels it for good. Needs no approval.',
    input: closed({ broadcastId: IdInput, act: oneOf(['pause', 'unschedule', 'cancel']) }),
    output: AgentBroadcast,
    run: async (call, { broadcastId, act }) => call(`POST /api/broadcasts/${broadcastId}/${act}`),
  }),
]

async function contentOf(call: CallOperation, templateId: string | undefined): Promise<object> {
  if (templateId === undefined) return {}
  const { subject, body, text } = await call(`GET /api/templates/${templateId}`)
  return { subject, body, text }
}

/** The figures of a report. */
function numbersOf(report: Readonly<Record<string, unknown>>): Record<string, number> {
  const numbers = Object.entries(report).filter((entry): entry is [string, number] => typeof entry[1] === 'number')
  return Object.fromEntries(numbers)
}

type Report = Record<'links' | 'failedByReason' | 'suppressedByReason' | 'skippedByReason', unknown>

function reasonsOf(report: Report, { summary, findings }: { summary: string; findings: unknown }): object {
  const { links, failedByReason, suppressedByReason, skippedByReason } = report
  return { summary, findings, links, failedByReason, suppressedByReason, skippedByReason }
}
