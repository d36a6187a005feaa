import { Type } from 'typebox'
import { invalid } from '../../catalogue/problems.ts'
import { closed } from '../../platform/schema/schemas.ts'
import { AgentContact, agentContact } from '../contacts/shown-to-agents.ts'
import { defineTool, IdInput, listed, listedOutput, PAGE_INPUT, pageQuery, Text, type Tool } from '../tool.ts'
import { DEFINITION_CHARS_MAX } from './parse-definition.ts'
import type { Segment } from './schemas.ts'

const Definition = Type.String({ maxLength: DEFINITION_CHARS_MAX, description: 'react-querybuilder JSON text' })
const AgentSegment = Type.Object({ id: Text, name: Text, definition: Text, updatedAt: Text })
const DEFINITION_SHOWN_CHARS_MAX = 2_000

const agentSegment = ({ id, name, definition, updatedAt }: Segment) => ({
  ...{ id, name, updatedAt },
  definition: definition.slice(0, DEFINITION_SHOWN_CHARS_MAX),
})

/** Groups of people by rules, for agents. */
export const segmentTools: readonly Tool[] = [
  defineTool({
    name: 'segments_list',
    title: 'List segments',
    toolset: 'people',
    needs: ['segments:read'],
    effect: 'reads',
    description: 'Segments with their rules. postroom://docs/segments explains the rules.',
    input: closed({ search: Type.Optional(Type.String({ maxLength: 200 })), ...PAGE_INPUT }),
    output: listedOutput(AgentSegment),
    async run(call, { search, ...page }) {
      return listed(await call('GET /api/segments', { query: { search, ...pageQuery(page) } }), agentSegment)
    },
  }),
  defineTool({
    name: 'segment_preview',
    title: 'Count a segment',
    toolset: 'people',
    needs: ['segments:read'],
    effect: 'reads',
    description: 'The exact number of people in a stored segment or a draft definition, and the first ten.',
    input: closed({ segmentId: Type.Optional(IdInput), definition: Type.Optional(Definition) }),
    output: Type.Object({ count: Type.Integer(), sample: Type.Array(AgentContact) }),
    async run(call, { segmentId, definition = '' }) {
      const preview =
        segmentId === undefined
          ? await call('POST /api/segments/preview', { body: { definition } })
          : await call(`GET /api/segments/${segmentId}/preview`)
      return { count: preview.count, sample: preview.sample.map((contact: never) => agentContact(contact)) }
    },
  }),
  defineTool({
    name: 'segment_save',
    title: 'Save a segment',
    toolset: 'people',
    needs: ['segments:write'],
    effect: 'makes',
    description:
      'Creates a segment, or renames the one of segmentId. Its rules stay, for approved mail may rest on them: others are a new segment.',
    input: closed({
      segmentId: Type.Optional(IdInput),
      name: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
      definition: Type.Optional(Definition),
    }),
    output: AgentSegment,
    async run(call, { segmentId, name, definition }) {
      if (segmentId === undefined)
        return agentSegment(await call('POST /api/segments', { body: { name, definition }, once: true }))
      if (definition !== undefined)
        throw invalid([{ pointer: '/definition', detail: 'of a segment that there is stays: create another' }])
      return agentSegment(await call(`PATCH /api/segments/${segmentId}`, { body: { name } }))
    },
  }),
]
