import { Type } from 'typebox'
import { problemResponses } from '../../platform/http/answers.ts'
import { ifMatchOf } from '../../platform/http/serve-etags.ts'
import type { HttpApp } from '../../platform/http/server.ts'
import { page, pageOf, pageParameters } from '../../platform/schema/paging.ts'
import { closed, Id } from '../../platform/schema/schemas.ts'
import type { Door } from '../auth/door.ts'
import { changeField, declareField, deleteField, type FieldDeps, retypeField } from './manage-fields.ts'
import { listFields, readField, readRetype } from './read-fields.ts'
import {
  CustomField,
  FieldBody,
  FieldChange,
  FieldRetype,
  fieldFilters,
  RetypeBody,
  SiteCustomField,
} from './schemas.ts'

const tags = ['Custom fields']
const nothing = Type.Null({ description: 'Done.' })

export function customFieldRoutes(app: HttpApp, deps: FieldDeps, door: Door): void {
  const base = `${door.base}/custom-fields`
  const operation = (verb: string) => `${door.family}CustomFields_${verb}`
  const read = door.needs('custom_fields:read')
  const write = door.needs('custom_fields:write')
  const params = closed({ ...door.params, id: Id })

  app.get(
    base,
    {
      schema: {
        operationId: operation('list'),
        tags,
        summary: 'List custom fields',
        description: 'Those that were declared, and those that were inferred from the values contacts were given.',
        querystring: closed({ ...pageParameters, ...fieldFilters }),
        response: { 200: pageOf(door.family === 'Site' ? SiteCustomField : CustomField) },
      },
      config: read,
    },
    async (request) => {
      const { items, total } = await listFields(deps.sql, request.caller.workspaceId, request.query)
      return page(request.query, total, items)
    },
  )

  app.post(
    base,
    {
      schema: {
        operationId: operation('create'),
        tags,
        summary: 'Declare a custom field',
        description:
          'From then on values must fit the type: they are converted where nothing is lost ("42" is 42), or refused. A ' +
          'field that was inferred is there already; give it a type with a retype.',
        body: FieldBody,
        response: { 201: CustomField, ...problemResponses(409, 422) },
      },
      config: { ...write, etag: true },
    },
    async (request, reply) => reply.code(201).send(await declareField(deps, request.caller, request.body)),
  )

  app.get(
    `${base}/:id`,
    {
      schema: {
        operationId: operation('get'),
        tags,
        summary: 'Read a custom field',
        description: 'With its entity tag, for `If-Match` on a change.',
        params,
        response: { 200: CustomField },
      },
      config: { ...read, etag: true },
    },
    async (request) => readField(deps.sql, request.caller.workspaceId, request.params.id),
  )

  app.patch(
    `${base}/:id`,
    {
      schema: {
        operationId: operation('update'),
        tags,
        summary: 'Rename a custom field',
        description:
          'A new name counts at once. So does a new key; the values of contacts move to it in the background, and until ' +
          'they have the key before it is accepted too. A 422 while another change of the field is under way.',
        params,
        body: FieldChange,
        response: { 200: CustomField, ...problemResponses(409, 412, 422) },
      },
      config: { ...write, etag: true },
    },
    async (request) => {
      const input = { id: request.params.id, change: request.body, ifMatch: ifMatchOf(request) }
      return changeField(deps, request.caller, input)
    },
  )

  app.delete(
    `${base}/:id`,
    {
      schema: {
        operationId: operation('delete'),
        tags,
        summary: 'Delete a custom field with its values',
        description:
          'The values of contacts go in the background; until they have, new ones under its key are refused.',
        params,
        response: { 204: nothing, ...problemResponses(412) },
      },
      config: write,
    },
    async (request, reply) => {
      await deleteField(deps, request.caller, { id: request.params.id, ifMatch: ifMatchOf(request) })
      return reply.code(204).send(null)
    },
  )

  retypeRoutes(app, deps, door)
}

function retypeRoutes(app: HttpApp, deps: FieldDeps, door: Door): void {
  const path = `${door.base}/custom-fields/:id/retype`
  const operation = (verb: string) => `${door.family}CustomFields_${verb}`
  const params = closed({ ...door.params, id: Id })

  app.post(
    path,
    {
      schema: {
        operationId: operation('retype'),
        tags,
        summary: 'Give a custom field another type',
        description:
          'New values are held to the type at once. Those that there are get it in the background where nothing is lost; ' +
          'what does not fit stays as it is and is reported. With `dryRun` nothing is changed. Read the report at the same ' +
          'path. A 422 while another change of the field is under way.',
        params,
        body: RetypeBody,
        response: { 202: FieldRetype, ...problemResponses(412, 422) },
      },
      config: door.needs('custom_fields:write'),
    },
    async (request, reply) => {
      const { id } = request.params
      const { type, dryRun = false } = request.body
      await retypeField(deps, request.caller, { id, type, dryRun, ifMatch: ifMatchOf(request) })
      return reply.code(202).send(await readRetype(deps.sql, request.caller.workspaceId, id))
    },
  )

  app.get(
    path,
    {
      schema: {
        operationId: operation('getRetype'),
        tags,
        summary: 'Read how a retype fares',
        description: 'The last one: how far it is, and what does not fit. A 404 when there was none.',
        params,
        response: { 200: FieldRetype },
      },
      config: door.needs('custom_fields:read'),
    },
    async (request) => readRetype(deps.sql, request.caller.workspaceId, request.params.id),
  )
}
