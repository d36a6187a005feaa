import type { preValidationHookHandler } from 'fastify'
import { invalid, Problem } from '../problem.ts'
import { HTTP_PROBLEMS } from './http-problems.ts'

/**
 * Refuses a body whose media type is not among those that its route has schemas for: the framework checks each type by
 * its own schema, and one that has none by nothing.
 */
export function refuseOtherTypes(types: readonly string[]): preValidationHookHandler {
  const detail = `must be ${types.join(' or ')}`
  return (request, _reply, next) => {
    const [type] = (request.headers['content-type'] ?? '').split(';')
    if (type === '') next(invalid([{ pointer: '', detail }]))
    else if (types.includes(type!.trim().toLowerCase())) next()
    else next(new Problem(HTTP_PROBLEMS.unsupportedMediaType, { detail: `The body ${detail}.` }))
  }
}
