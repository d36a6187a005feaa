import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import { notFound } from '../../catalogue/problems.ts'
import { html } from '../../platform/html.ts'
import type { HttpApp } from '../../platform/http/http-app.ts'
import { closed } from '../../platform/schema/schemas.ts'
import { docsPage } from '../pages/app-page.ts'
import type { Guides } from './read-guides.ts'

const schema = { hide: true, params: closed({ name: Type.String({ maxLength: 100 }) }) } as const
const AN_HOUR = 'public, max-age=3600'

/** The guides of `docs/guides` as pages, for whoever runs or uses this installation: they are of its own version. */
export function guidePages(app: HttpApp, guides: Guides): void {
  app.get('/docs/guides', { schema: { hide: true } }, async (_request, reply) => reply.redirect('/docs/guides/', 301))

  app.get('/docs/guides/', { schema: { hide: true } }, async (_request, reply) => {
    const items = (await guides.all()).map(
      ({ name, title, intro }) =>
        html`<li><a href="/docs/guides/${name}"><span class="to">${title}</span><span class="soft">${intro}</span></a></li>`,
    )
    return docsPage(keep(reply), {
      title: 'Guides · Postroom',
      body: html`<h1>Guides</h1><ul class="list guides">${items}</ul>`,
    })
  })

  app.get('/docs/guides/:name', { schema }, async (request, reply) => {
    const guide = (await guides.all()).find(({ name }) => name === request.params.name)
    if (guide === undefined) throw notFound()
    const { title, content } = guide
    return docsPage(keep(reply), {
      title: `${title} · Postroom`,
      body: html`<article>${content}</article>`,
      imageOrigins: ["'self'"],
    })
  })

  app.get('/docs/guides/pictures/:name', { schema }, async (request, reply) => {
    const picture = await guides.picture(request.params.name)
    if (picture === undefined) throw notFound()
    return keep(reply).type('image/png').send(picture)
  })

  app.get('/docs/examples/:name', { schema }, async (request, reply) => {
    const example = await guides.example(request.params.name)
    if (example === undefined) throw notFound()
    return keep(reply).type('text/plain; charset=utf-8').send(example)
  })
}

function keep(reply: FastifyReply): FastifyReply {
  return reply.header('cache-control', AN_HOUR)
}
