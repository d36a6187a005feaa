import type { FastifyInstance } from 'fastify'
import { HOUR_SECONDS } from '../durations.ts'
import { html } from '../html.ts'
import { createLimitedThread } from '../limited-thread.ts'
import { once } from '../once.ts'
import type { ProblemKind } from '../problem.ts'
import { DOCS_BAR } from './docs-bar.ts'
import { hashOf, type Page, sendPage } from './page.ts'
import type { Viewer, ViewerJob } from './viewer-thread.ts'

const PAGE_PATH = '/docs'
const SCRIPT_PATH = `${PAGE_PATH}/js/scalar.js`
const SCRIPT_SECONDS = HOUR_SECONDS

/**
 * A page loads its one script and the API's description from here, and nothing from anywhere else; of scripts inside it only
 * those that it was made with run.
 */
function contentPolicy(page: string): string {
  const inline = [...page.matchAll(INLINE_SCRIPTS)].map(([, script]) => `'${hashOf(script!)}'`)
  return [
    "default-src 'none'",
    `script-src ${["'self'", ...inline].join(' ')}`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self' data:",
    "connect-src 'self'",
    "worker-src 'self' blob:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

const INLINE_SCRIPTS = /<script(?: type="[a-z/]+")?>([^<]*)<\/script>/g

type Reference = {
  /** Path of the OpenAPI document that it shows. */
  description: string
  problems: readonly ProblemKind[]
}

/** Serves the API reference at `/docs` and the explanation of every problem code at `/docs/problems`. */
export function serveApiReference(app: FastifyInstance, { description, problems }: Reference): void {
  const load = once(() => loadViewer(description))
  const hidden = { schema: { hide: true } }
  const made = { ...hidden, config: { deadlineMs: MAKE_DEADLINE_MS } }
  const headersOf = (page: string) => ({
    'content-security-policy': contentPolicy(page),
    'referrer-policy': 'no-referrer',
  })

  app.get(PAGE_PATH, hidden, async (_request, reply) => reply.redirect(`${PAGE_PATH}/`, 301))
  app.get(`${PAGE_PATH}/`, made, async (_request, reply) => {
    const { page } = await load()
    return reply.headers(headersOf(page)).type('text/html; charset=utf-8').send(page)
  })
  app.get(SCRIPT_PATH, made, async (_request, reply) => {
    const { script } = await load()
    return reply
      .headers({ 'content-encoding': 'gzip', 'cache-control': `public, max-age=${SCRIPT_SECONDS}` })
      .type('text/javascript; charset=utf-8')
      .send(Buffer.from(script))
  })
  app.get(`${PAGE_PATH}/problems`, hidden, async (_request, reply) => {
    return sendPage(reply, problemsPage(problems))
  })
}

/** Of the first visit, for which it is made. */
const MAKE_DEADLINE_MS = 15_000

/** A busy machine may take its time; then the thread ends, with the 60 MB that it took. */
const THREAD_LIMITS = { cpuMs: 30_000, wallMs: 60_000, heapMb: 256, idleMs: 1_000, waitingMax: 1 }

/** Made at the first visit: a server without readers never pays for it. */
async function loadViewer(description: string): Promise<Viewer> {
  const thread = createLimitedThread<ViewerJob, Viewer>(new URL('./viewer-thread.ts', import.meta.url), THREAD_LIMITS)
  try {
    const made = await thread.run({ path: PAGE_PATH, scriptPath: SCRIPT_PATH, description })
    if ('outcome' in made) throw new Error(`the viewer of the API was not made: ${made.outcome}`)
    return made
  } finally {
    await thread.close()
  }
}

function problemsPage(problems: readonly ProblemKind[]): Page {
  const rows = problems
    .toSorted((a, b) => a.status - b.status)
    .map(
      ({ code, status, title }) =>
        html`<tr id="${code}"><td><code>${code}</code></td><td>${title}</td><td>${status}</td></tr>`,
    )
  const body = html`${DOCS_BAR}<main><article><h1>Problems</h1>
<p>Every error is an <code>application/problem+json</code> document (RFC 9457). Branch on <code>code</code>; <code>errors</code>
names the fields at fault; quote <code>requestId</code> when you ask for help. <a href="/docs/guides/errors">More on errors</a></p>
<table><thead><tr><th>Code</th><th>Meaning</th><th>Status</th></tr></thead><tbody>${rows}</tbody></table></article></main>`
  return { title: 'Problems · Postroom', body }
}
