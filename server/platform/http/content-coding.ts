import type { FastifyRequest } from 'fastify'
import { Problem } from '../problem.ts'
import { HTTP_PROBLEMS } from './http-problems.ts'

/** Refuses a body that is compressed, as RFC 9110 section 15.5.16 has it: what is no text yet is not judged as broken JSON. */
export function refuseCoding({ headers }: Pick<FastifyRequest, 'headers'>): void {
  const coding = headers['content-encoding']?.trim().toLowerCase()
  if (!coding || coding === 'identity') return
  const detail = 'The body must come as it is, without a Content-Encoding.'
  throw new Problem(HTTP_PROBLEMS.unsupportedMediaType, { detail, headers: { 'accept-encoding': 'identity' } })
}
