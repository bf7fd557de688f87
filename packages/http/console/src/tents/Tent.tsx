// The screen of one page: what the AI does, the page itself, its traffic, sign-ups, files and code.
import { Skeleton, Tabs } from "@mantine/core"
import type { Tent as TentValue } from "@tentpole/client"
import { useQuery } from "@tanstack/react-query"
import { useNavigate, useParams, useSearch } from "@tanstack/react-router"
import { type ComponentType, lazy, Suspense } from "react"
import { useChanges } from "../api/changes.ts"
import { queryOf } from "../api/queries.ts"
import { ChartIcon, CodeIcon, ContactsIcon, EyeIcon, TopicsIcon, UploadIcon } from "../Icons.tsx"
import { BackLink } from "../parts/BackLink.tsx"
import { PageHeader } from "../parts/PageHeader.tsx"
import { Problem } from "../parts/Problem.tsx"
import { useWords } from "../words/Words.tsx"
import { Making } from "./making/Making.tsx"
import { Notices } from "./page/Notices.tsx"
import { isTab, type Tab, tabs } from "./search.ts"
import { isWorking } from "./tent.ts"
import { TentHead } from "./TentHead.tsx"

const Code = lazy(async () => ({ default: (await import("./page/Code.tsx")).Code }))
const Files = lazy(async () => ({ default: (await import("./page/Files.tsx")).Files }))
const Forms = lazy(async () => ({ default: (await import("./forms/Forms.tsx")).Forms }))
const Idle = lazy(async () => ({ default: (await import("./making/Idle.tsx")).Idle }))
const PagePreview = lazy(async () => ({ default: (await import("./page/PagePreview.tsx")).PagePreview }))
const SignUps = lazy(async () => ({ default: (await import("./page/SignUps.tsx")).SignUps }))
const Traffic = lazy(async () => ({ default: (await import("./traffic/Traffic.tsx")).Traffic }))

const icons: Readonly<Record<Tab, ComponentType<{ readonly size?: number }>>> = {
  page: EyeIcon,
  traffic: ChartIcon,
  signups: ContactsIcon,
  forms: TopicsIcon,
  files: UploadIcon,
  code: CodeIcon,
}

const Panel = ({ tab, tent }: { readonly tab: Tab; readonly tent: TentValue }) => {
  switch (tab) {
    case "page":
      return <PagePreview tent={tent} />
    case "traffic":
      return <Traffic tent={tent} />
    case "signups":
      return <SignUps tent={tent} />
    case "forms":
      return <Forms tent={tent} />
    case "files":
      return <Files tent={tent} />
    case "code":
      return <Code key={tent.id} tent={tent} />
  }
}

const Parts = ({ tent }: { readonly tent: TentValue }) => {
  const words = useWords("tents")
  const asked = useSearch({ from: "/tents/$tentId" })
  const navigate = useNavigate({ from: "/tents/$tentId" })
  const tab = asked.tab ?? "page"
  return (
    <Tabs
      value={tab}
      keepMounted={false}
      onChange={(next) =>
        void navigate({
          search: isTab(next) && next !== "page" ? { tab: next } : {},
          replace: true,
          resetScroll: false,
        })
      }
    >
      <Tabs.List mb="md">
        {tabs.map((each) => {
          const Icon = icons[each]
          return (
            <Tabs.Tab key={each} value={each} leftSection={<Icon size={16} />}>
              {words.tabs[each]}
            </Tabs.Tab>
          )
        })}
      </Tabs.List>
      <Tabs.Panel value={tab}>
        <Suspense fallback={<Skeleton className="late" h={360} radius="lg" />}>
          <Panel tab={tab} tent={tent} />
        </Suspense>
      </Tabs.Panel>
    </Tabs>
  )
}

const Content = ({ tent }: { readonly tent: TentValue }) => {
  if (tent.status === "pending") {
    return (
      <Suspense fallback={<Skeleton className="late" h={360} radius="lg" />}>
        <Idle tent={tent} />
      </Suspense>
    )
  }
  return tent.current_version === 0 ? null : <Parts tent={tent} />
}

export const Tent = () => {
  const words = useWords("tents")
  const { tentId } = useParams({ from: "/tents/$tentId" })
  const found = useQuery(queryOf("tents", "show", { params: { tentId } }))
  useChanges(found.data !== undefined && isWorking(found.data) ? [`tent:${tentId}`] : [])
  if (found.isPending) return <Skeleton className="late" h={420} radius="lg" />
  if (found.isError) {
    return (
      <>
        <PageHeader above={<BackLink to="/tents" label={words.title} />} title={words.one} />
        <Problem error={found.error} onRetry={found.refetch} />
      </>
    )
  }
  const tent = found.data
  return (
    <>
      <TentHead tent={tent} />
      <Making tent={tent} />
      <Notices tent={tent} />
      <Content tent={tent} />
    </>
  )
}
