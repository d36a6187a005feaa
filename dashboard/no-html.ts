import { xml } from '@codemirror/lang-xml'

/** In place of the kit's HTML language, which would bring grammars of scripts and styles: MJML is read as XML. */
export function html() {
  return xml()
}
