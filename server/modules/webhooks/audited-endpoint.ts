/** An endpoint as the target of an audit entry: where to, not what the query string may hold. */
export function auditedEndpoint(endpoint: { id: string; url: string }) {
  const { origin, pathname } = new URL(endpoint.url)
  return { type: 'webhook_endpoint', id: endpoint.id, name: origin + pathname }
}
