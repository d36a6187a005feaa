/** A document of Kubernetes; `spec` is as its kind says. */
export type Manifest = {
  apiVersion: string
  kind: string
  metadata: { name: string; labels?: Labels }
  spec: unknown
}
type Labels = Record<string, string>
type Probe = { httpGet: { port: string } }
type Container = {
  name: string
  env: { name: string; value: string }[]
  ports?: { name: string }[]
  volumeMounts: { name: string }[]
  startupProbe?: Probe
  livenessProbe?: Probe
  readinessProbe?: Probe
}
type Pod = { containers: Container[]; initContainers: Container[]; volumes: { name: string }[] }
type StatefulSet = {
  serviceName: string
  selector: { matchLabels: Labels }
  template: { metadata: { labels: Labels }; spec: Pod }
  volumeClaimTemplates: { metadata: { name: string } }[]
}
type Service = { selector: Labels; ports: { name: string; targetPort: string }[] }
type Ingress = {
  rules: { http: { paths: { backend: { service: { name: string; port: { name: string } } } }[] } }[]
}
type Monitor = { selector: { matchLabels: Labels }; endpoints: { port: string }[] }

const ofKind = <Spec>(documents: readonly Manifest[], kind: string) =>
  documents
    .filter((document) => document.kind === kind)
    .map(({ metadata, spec }) => ({ ...metadata, spec: spec as Spec }))
const fits = (wanted: Labels, labels: Labels = {}) =>
  Object.entries(wanted).every(([name, value]) => labels[name] === value)

/** The pods that stateful sets make. */
export const podsOf = (documents: readonly Manifest[]): Pod[] =>
  ofKind<StatefulSet>(documents, 'StatefulSet').map(({ spec }) => spec.template.spec)

/** What speaks of something that no document has, a line each. */
export function brokenReferences(documents: readonly Manifest[]): string[] {
  const sets = ofKind<StatefulSet>(documents, 'StatefulSet')
  const services = ofKind<Service>(documents, 'Service')
  const selected = (labels: Labels) => sets.filter(({ spec }) => fits(labels, spec.template.metadata.labels))
  const broken: string[] = []
  const hold = (isThere: boolean, what: string) => void (isThere || broken.push(what))

  for (const { name, spec } of sets) {
    hold(fits(spec.selector.matchLabels, spec.template.metadata.labels), `${name} selects its pods`)
    hold(
      services.some((service) => service.name === spec.serviceName),
      `${name} has its service`,
    )
    const volumes = [...spec.template.spec.volumes, ...spec.volumeClaimTemplates.map(({ metadata }) => metadata)]
    for (const container of [...spec.template.spec.containers, ...spec.template.spec.initContainers]) {
      for (const mount of container.volumeMounts)
        hold(
          volumes.some((volume) => volume.name === mount.name),
          `${name}/${container.name} mounts ${mount.name}`,
        )
      for (const probe of [container.startupProbe, container.livenessProbe, container.readinessProbe])
        if (probe !== undefined)
          hold(container.ports?.some((port) => port.name === probe.httpGet.port) ?? false, `${name} probes a port`)
    }
  }
  for (const { name, spec } of services) {
    const ports = selected(spec.selector).flatMap((set) => set.spec.template.spec.containers[0]!.ports ?? [])
    hold(selected(spec.selector).length === 1, `${name} leads to one set`)
    for (const { targetPort } of spec.ports)
      hold(
        ports.some((port) => port.name === targetPort),
        `${name}: ${targetPort}`,
      )
  }
  for (const { name, spec } of ofKind<{ selector: { matchLabels: Labels } }>(documents, 'PodDisruptionBudget'))
    hold(selected(spec.selector.matchLabels).length === 1, `the budget ${name} is of one set`)
  for (const { name, spec } of ofKind<Ingress>(documents, 'Ingress'))
    for (const { backend } of spec.rules.flatMap((rule) => rule.http.paths)) {
      const service = services.find((one) => one.name === backend.service.name)
      hold(service?.spec.ports.some((port) => port.name === backend.service.port.name) ?? false, `${name}: its service`)
    }
  for (const { name, spec } of ofKind<Monitor>(documents, 'ServiceMonitor')) {
    const watched = services.filter(({ labels }) => fits(spec.selector.matchLabels, labels))
    hold(watched.length === sets.length, `${name} finds a service of each set`)
    for (const { port } of spec.endpoints)
      for (const service of watched)
        hold(
          service.spec.ports.some((one) => one.name === port),
          `${name}: ${port}`,
        )
  }
  return broken
}
