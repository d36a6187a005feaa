import { Type } from 'typebox'
import { closed } from '../../platform/schema/schemas.ts'
import { defineTool, IdInput, listed, listedOutput, PAGE_INPUT, pageQuery, type Tool } from '../tool.ts'
import { AgentContact, agentContact } from './shown-to-agents.ts'

const Filter = Type.Optional(Type.String({ maxLength: 320 }))
const Field = Type.Optional(Type.String({ maxLength: 1_000 }))
const TagNames = Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 100 }), { maxItems: 20 }))

/** People, for agents. */
export const contactTools: readonly Tool[] = [
  defineTool({
    name: 'contacts_search',
    title: 'Search contacts',
    toolset: 'people',
    needs: ['contacts:read'],
    effect: 'reads',
    description: 'Finds contacts by name, whole email, tag or segment. Addresses come masked; act on ids.',
    input: closed({
      search: Type.Optional(Type.String({ maxLength: 200 })),
      email: Filter,
      tag: Filter,
      segmentId: Type.Optional(IdInput),
      ...PAGE_INPUT,
    }),
    output: listedOutput(AgentContact),
    async run(call, { page, limit, ...filter }) {
      const query = { ...filter, ...pageQuery({ ...(page && { page }), ...(limit && { limit }) }) }
      return listed(await call('GET /api/contacts', { query }), agentContact)
    },
  }),
  defineTool({
    name: 'contact_get',
    title: 'Read a contact',
    toolset: 'people',
    needs: ['contacts:read'],
    effect: 'reads',
    description: 'One contact with all fields, consent and what it unsubscribed from.',
    input: closed({ contactId: IdInput }),
    output: AgentContact,
    run: async (call, { contactId }) => agentContact(await call(`GET /api/contacts/${contactId}`), { fields: true }),
  }),
  defineTool({
    name: 'contact_upsert',
    title: 'Create or change a contact',
    toolset: 'people',
    needs: ['contacts:write'],
    effect: 'changes',
    description:
      'Changes the contact with this subjectId, else email, else phone, or creates it. Absent fields stay. Nothing is sent.',
    input: closed({
      subjectId: Field,
      email: Filter,
      phone: Field,
      firstName: Field,
      lastName: Field,
      timeZone: Field,
      customFields: Type.Optional(Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true })),
      tags: TagNames,
    }),
    output: AgentContact,
    run: async (call, body) => agentContact(await call('PUT /api/contacts', { body }), { fields: true }),
  }),
  defineTool({
    name: 'contact_tag',
    title: 'Tag a contact',
    toolset: 'people',
    needs: ['contacts:read', 'contacts:write'],
    effect: 'changes',
    description: 'Gives a contact tags by name and takes others off. May begin automations that listen to a tag.',
    input: closed({ contactId: IdInput, add: TagNames, remove: TagNames }),
    output: AgentContact,
    async run(call, { contactId, add = [], remove = [] }) {
      for (const name of add) await call(`POST /api/contacts/${contactId}/tags`, { body: { name } })
      for (const name of remove) await call(`DELETE /api/contacts/${contactId}/tags/${encodeURIComponent(name)}`)
      return agentContact(await call(`GET /api/contacts/${contactId}`))
    },
  }),
]
