// Labels of contact fields: standard fields in the chosen language, custom fields as the workspace calls them.
import type { Words } from "../words/Words.tsx"

interface Named {
  readonly api_name: string
  readonly display_name: string
}

export const fieldLabel = ({ fields }: Words["contacts"], { api_name, display_name }: Named): string => {
  const labels: Readonly<Record<string, string>> = fields
  return labels[api_name] ?? display_name
}
