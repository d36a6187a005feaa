import { hash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { answerLost, requestInFlight } from '../../catalogue/problems.ts'
import { crashPoint } from '../../platform/crash-point.ts'
import { keySecondsInside } from '../../platform/http/call-inside.ts'
import type { HttpApp } from '../../platform/http/http-app.ts'
import { answerOf, fingerprintOf, idempotencyKeyOf, replay } from '../../platform/http/idempotency-key.ts'
import { DEADLINE_MS, endDeadline, isOverdue } from '../../platform/http/in-flight.ts'
import type { Actor } from '../audit/record-audit.ts'
import { claimRequest } from './claim-request.ts'
import { type Claim, markEffect } from './queries.ts'
import { type AnswerDeps, openAnswer, settleClaim } from './settle-claim.ts'

/** How much longer than its deadline a request may be silent before a repeat may take it over. */
const LEASE_MARGIN_MS = 8_000
/** A key is kept with the workspace; a person's own account and logging in have none. */
const IN_WORKSPACE = /^\/(?:api|site\/workspaces\/:slug)\//
/** How long an answer waits for being recorded: a database that is away must not hold it back. */
const RECORD_WAIT_MS = { min: 50, max: 500 }

/**
 * Makes every `POST` that acts in a workspace, of `/api` and of `/site`, heed its `Idempotency-Key`: carried out once,
 * answered alike for 24 hours. A request without the header is not delayed. Installed after the guards and before the
 * routes.
 */
export function heedIdempotencyKeys(app: HttpApp, deps: AnswerDeps): void {
  const claims = new WeakMap<FastifyRequest, Claim>()

  app.addHook('onRoute', (route) => {
    if (route.method !== 'POST' || !IN_WORKSPACE.test(route.url)) return
    route.config = { ...route.config, idempotent: true }
    const begin = (request: FastifyRequest, reply: FastifyReply, next: (error?: Error) => void) => {
      const key = idempotencyKeyOf(request)
      if (key === undefined) next()
      else claim(request, reply, key).then((isClaimed) => isClaimed && next(), next)
    }
    route.preHandler = [...[route.preHandler ?? []].flat(), begin]
    // Before compression.
    route.onSend = [settle, ...[route.onSend ?? []].flat()]
  })

  /** True when the request is to be carried out; false when it is answered already. */
  async function claim(request: FastifyRequest, reply: FastifyReply, key: string): Promise<boolean> {
    const { workspaceId, actor } = request.caller
    const keyHash = hashOf(actor, key)
    const leaseMs = (reply.route?.deadlineMs ?? DEADLINE_MS) + LEASE_MARGIN_MS
    const fingerprint = fingerprintOf(request)
    const keepSeconds = keySecondsInside()
    const found = await claimRequest(deps.sql, { workspaceId, keyHash, fingerprint, leaseMs, keepSeconds })
    if (found.outcome === 'answered') {
      const answer = openAnswer(deps, found.claim, found.answer)
      if (answer === undefined) throw answerLost(found.targetType, found.targetId)
      replay(reply, answer)
      return false
    }
    crashPoint('key_claimed')
    claims.set(request, found.claim)
    const { onRecorded } = request.caller
    request.caller = {
      ...request.caller,
      repeatId: found.claim.id,
      async onRecorded(tx, entry) {
        if (!(await markEffect(tx, found.claim, entry.target))) throw requestInFlight(1)
        await onRecorded?.(tx, entry)
      },
    }
    return true
  }

  function settle(request: FastifyRequest, reply: FastifyReply, payload: unknown, next: (error?: null) => void): void {
    const claim = claims.get(request)
    // After its deadline the handler may still be at work: the claim ends by itself.
    if (claim === undefined || isOverdue(reply)) {
      next()
      return
    }
    claims.delete(request)
    const waitMs = Math.min(Math.max(endDeadline(reply), RECORD_WAIT_MS.min), RECORD_WAIT_MS.max)
    crashPoint('key_before_answer')
    const isShownOnce = reply.statusCode < 300 && request.routeOptions.config.shownOnce === true
    const answer = isShownOnce ? undefined : answerOf(reply, payload)
    const settled = settleClaim(deps, claim, { status: reply.statusCode, answer })
    // An answer that could not be recorded is told by the next repeat; the answer itself is true all the same.
    Promise.race([settled, sleep(waitMs, undefined, { ref: false })])
      .catch(() => undefined)
      .finally(() => {
        crashPoint('key_after_answer')
        next()
      })
  }
}

/** A key belongs to the actor who chose it. */
function hashOf(actor: Actor, key: string): Buffer {
  return hash('sha256', `${actor.kind}:${actor.id}:${key}`, 'buffer')
}
