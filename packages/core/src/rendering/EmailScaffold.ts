// The email that a user starts with: branded, with sample text. The footer with the unsubscribe link is added when it is
// sent.
import { paletteOr } from "./Palette.ts"
import type { WorkspaceBrand } from "../workspaces/Workspace.ts"
import { heading, layOut, letterhead, paragraph, row } from "./EmailLayout.ts"

export interface ScaffoldFacts {
  readonly workspaceName: string
  readonly brand: WorkspaceBrand
}

export const scaffold = ({ workspaceName, brand }: ScaffoldFacts): string => {
  const name = brand.name ?? workspaceName
  return layOut({
    title: name,
    palette: paletteOr(brand.primaryColor, "#1d4ed8"),
    rows: [
      letterhead({ name, logoUrl: brand.logoUrl, domain: brand.domain }),
      row(
        "24px 40px",
        [heading("Your headline"), paragraph("Hello {{contact.first_name|there}},"), paragraph(scaffold_text)].join(
          "\n",
        ),
      ),
    ],
  })
}

/** The placeholder for the message. */
export const scaffold_text = "Write your message here."
