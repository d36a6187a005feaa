import type { FastifyContextConfig, FastifyReply, FastifyRequest } from 'fastify'
import { type Static, type TNull, type TObject, type TProperties, type TSchema, type TUnknown, Type } from 'typebox'
import type { Permission } from '../catalogue/permissions.ts'
import type { Scope } from '../catalogue/scopes.ts'
import type { HttpApp } from '../platform/http/http-app.ts'
import { closed, Id } from '../platform/schema/schemas.ts'

/**
 * A way to operations: the management API with a token's scope, or the dashboard API with the permission of a role,
 * under the workspace's slug. A module declares its routes once and opens both doors to them.
 */
export type Door<Needs extends string = Scope | 'any'> = {
  /** Path before the resource. */
  base: string
  /** Prefix of operation ids. */
  family: '' | 'Site' | 'Collect'
  /** Path parameters that the base has. */
  params: { slug?: ReturnType<typeof Type.String> }
  /** Parameters of an address that a read does not know are let pass, where it has none. */
  isLenient?: boolean
  needs(needs: Needs): FastifyContextConfig
}

/** A filter of a read that is none is told of, here as where there are filters. */
const NO_PARAMETERS = closed({})

export const API_DOOR: Door = { base: '/api', family: '', params: {}, needs: (scope) => ({ scope }) }

export const SITE_DOOR: Door<Permission | 'any'> = {
  base: '/site/workspaces/:slug',
  family: 'Site',
  params: { slug: Type.String({ maxLength: 63 }) },
  needs: (permission) => ({ permission }),
}

/** For what belongs to a person and no workspace: with a login, or without one. */
export const PERSON_DOOR: Door<'login' | 'nothing'> = {
  base: '/site',
  family: 'Site',
  params: {},
  needs: (needs) => (needs === 'nothing' ? { withoutSession: true } : {}),
}

/** For browsers: under the public key of a tracker, or with one of the resource's own (`trackers/guard-collect.ts`). */
export const COLLECT_DOOR: Door<'tracker' | 'own'> = {
  base: '/collect',
  family: 'Collect',
  params: {},
  // Pages, and what guards their visitors, add to addresses; no event is lost by that.
  isLenient: true,
  needs: (collect) => ({ collect }),
}

/** Where routes stand that have something in common. */
export type Place<Base extends string> = {
  /** After the door's own path, before theirs. */
  path?: Base
  /** Of operation ids: `Tags` in `Tags_list`. */
  family: string
  /** Of the description, where it is not the family. */
  tag?: string
}

type ParamNames<Path extends string> = Path extends `${string}:${infer Rest}`
  ? Rest extends `${infer Name}/${infer More}`
    ? Name | ParamNames<More>
    : Rest
  : never

/** Answers by their status; with a single one `handle` returns it, and what it returns without one is not looked at. */
type Answers = { readonly [status: number]: TSchema }
type Answer<A extends Answers> = { [S in keyof A & number]: A[S] extends TNull ? unknown : Static<A[S]> }[keyof A &
  number]

/** A route: its description, and its handler. The request is checked before, the answer written by its schema. */
export type Route<
  Needs,
  Names extends string,
  P extends TProperties,
  Q extends TSchema,
  B extends TSchema,
  A extends Answers,
> = Pick<FastifyContextConfig, 'etag' | 'deadlineMs' | 'secret' | 'shownOnce' | 'commitsAlways'> & {
  needs: Needs
  summary: string
  description?: string
  /** Path parameters that are no ids. */
  params?: P
  query?: Q
  body?: B
  answers: A
  /** Statuses of problems beyond those that follow from the route itself. */
  problems?: readonly number[]
  /** Media types of an answer that is no JSON. */
  produces?: readonly string[]
  /** Largest body, where it is not that of every route. */
  bodyBytesMax?: number
  handle(
    request: FastifyRequest<{
      Params: { [Name in Exclude<Names, keyof P>]: string } & Static<TObject<P>>
      Querystring: Static<Q>
      Body: Static<B>
    }>,
    reply: FastifyReply,
  ): Answer<A> | FastifyReply | Promise<Answer<A> | FastifyReply>
}

type Declare<Needs, Base extends string> = <
  const Path extends string,
  A extends Answers,
  P extends TProperties = Record<never, never>,
  Q extends TSchema = TUnknown,
  B extends TSchema = TUnknown,
>(
  path: Path,
  verb: string,
  route: Route<Needs, ParamNames<Base> | ParamNames<Path>, P, Q, B, A>,
) => void

export type Routes<Needs, Base extends string> = Readonly<
  Record<'get' | 'post' | 'put' | 'patch' | 'delete', Declare<Needs, Base>>
>

/** Declares routes behind a door: `routes.get('/:id', 'get', { needs, summary, answers, handle })`. */
export function routesOf<Needs extends string, const Base extends string = ''>(
  app: HttpApp,
  door: Door<Needs>,
  place: Place<Base>,
): Routes<Needs, Base> {
  const declare =
    (method: string): Declare<Needs, Base> =>
    (path, verb, route) => {
      const url = `${door.base}${place.path ?? ''}${path}`
      const {
        needs,
        summary,
        description,
        params,
        query,
        body,
        answers,
        problems = [],
        produces,
        bodyBytesMax,
        handle,
        ...config
      } = route
      const known = query ?? (method === 'GET' && !door.isLenient ? NO_PARAMETERS : undefined)
      const schema = {
        operationId: `${door.family}${place.family}_${verb}`,
        tags: [place.tag ?? place.family],
        summary,
        ...(description === undefined ? {} : { description }),
        ...paramsOf(url, { ...door.params, ...params }),
        ...(known === undefined ? {} : { querystring: known }),
        ...(body === undefined ? {} : { body }),
        ...(produces === undefined ? {} : { produces }),
        response: answers,
      }
      const limit = bodyBytesMax === undefined ? {} : { bodyLimit: bodyBytesMax }
      const options = { schema, ...limit, config: { ...door.needs(needs), ...config, problems } }
      app.route({
        method,
        url,
        ...options,
        handler: answering(answers, locating(answers, url, handle as Handle)),
      } as never)
    }
  return {
    get: declare('GET'),
    post: declare('POST'),
    put: declare('PUT'),
    patch: declare('PATCH'),
    delete: declare('DELETE'),
  }
}

type Handle = (request: FastifyRequest, reply: FastifyReply) => unknown

/** Ids, unless it is said what else they are. */
function paramsOf(url: string, given: TProperties): { params?: TObject } {
  const names = [...url.matchAll(/:(\w+)/g)].map(([, name]) => name!)
  return names.length === 0
    ? {}
    : { params: closed(Object.fromEntries(names.map((name) => [name, given[name] ?? Id]))) }
}

const CREATED = 201

/** The handler, whose answer says where the thing that it has made is read, if anything is read there. */
function locating(answers: Answers, url: string, handle: Handle): Handle {
  if (!(CREATED in answers)) return handle
  return async (request, reply) => {
    const made = await handle(request, reply)
    const { id } = (made ?? {}) as { id?: unknown }
    if (reply.statusCode !== CREATED || typeof id !== 'string') return made
    if (!request.server.hasRoute({ method: 'GET', url: `${url}/:id` })) return made
    const params = request.params as Readonly<Record<string, string>>
    const path = url.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name]!))
    reply.header('location', `${path}/${encodeURIComponent(id)}`)
    return made
  }
}

const NO_CONTENT = 204

/** The handler with the status of its only answer. */
function answering(answers: Answers, handle: Handle): Handle {
  const [status, ...others] = Object.keys(answers).map(Number)
  if (status === undefined || others.length > 0 || status === 200) return handle
  if (status === NO_CONTENT) {
    return async (request, reply) => {
      reply.code(NO_CONTENT)
      await handle(request, reply)
      return null
    }
  }
  return (request, reply) => {
    reply.code(status)
    return handle(request, reply)
  }
}
