import type { FieldError } from '../../../platform/problem.ts'
import type { LinearStep } from '../schemas.ts'
import { END } from './definition.ts'

/** A way out of marketing mail, for those that have none: the linear form leaves it to us. */
const WAY_OUT = '<p><a href="{{ unsubscribe_url }}">Unsubscribe</a></p>'
const HAS_WAY_OUT = /\b(?:unsubscribe_url|preferences_url)\b/

export type Linear = { triggerEvent: string; steps: readonly LinearStep[] }

/**
 * The definition that the linear form stands for: one way, a node a step. Its people come in once, by one event. A mail
 * without a way out gets one at its end.
 */
export function definitionOf({ triggerEvent, steps }: Linear): Record<string, unknown> {
  const idOf = (n: number) => (n < steps.length ? `step${n + 1}` : END)
  const nodes = steps.map((step, n) => [idOf(n), nodeOf(step, idOf(n + 1))])
  return {
    format: 1,
    enter: { on: [{ event: triggerEvent }] },
    start: idOf(0),
    nodes: Object.fromEntries(nodes),
  }
}

function nodeOf(step: LinearStep, to: string): Record<string, unknown> {
  switch (step.type) {
    case 'email':
      return { type: 'email', subject: step.subject ?? undefined, body: withWayOut(step.body ?? undefined), to }
    case 'wait':
      return { type: 'delay', seconds: step.seconds ?? null, to }
    case 'apply_tag':
      return { type: 'tag', add: [step.tag], to }
    case 'remove_tag':
      return { type: 'tag', remove: [step.tag], to }
  }
}

function withWayOut(body: string | undefined): string | undefined {
  if (body === undefined || HAS_WAY_OUT.test(body)) return body
  const mjml = body.lastIndexOf('</mj-body>')
  if (mjml !== -1) {
    const section = `<mj-section><mj-column><mj-text>${WAY_OUT}</mj-text></mj-column></mj-section>`
    return body.slice(0, mjml) + section + body.slice(mjml)
  }
  const html = body.lastIndexOf('</body>')
  return html === -1 ? body + WAY_OUT : body.slice(0, html) + WAY_OUT + body.slice(html)
}

const OF_STEP = /^\/definition\/nodes\/step(\d+)(?:\/(.*))?$/
const FIELDS: Readonly<Record<string, string>> = { 'add/0': 'tag', 'remove/0': 'tag' }

/** Faults of that definition, where the linear form has what is wrong. */
export function linearFaults(faults: readonly FieldError[]): FieldError[] {
  return faults.map(({ pointer, detail }) => {
    if (pointer.startsWith('/definition/enter/on/0')) return { pointer: '/triggerEvent', detail }
    const [, number, field] = OF_STEP.exec(pointer) ?? []
    if (number === undefined) return { pointer: '/steps', detail }
    const part = field === undefined ? '' : `/${FIELDS[field] ?? field}`
    return { pointer: `/steps/${Number(number) - 1}${part}`, detail }
  })
}
