import { Component, type ComponentChildren } from "preact";
import { lazy, Suspense } from "preact/compat";
import { Route, Router, Switch } from "wouter-preact";
import { ErrorNotice, Loading } from "../ui/parts";
import { ROUTES } from "../views/routes";
import { SignIn } from "../views/sign-in/SignIn";
import { place, useHashPath } from "./location";
import { NotFound } from "./NotFound";
import { Shell } from "./Shell";
import { key } from "./session";

const VIEWS = ROUTES.map(({ path, load }) => ({ path, View: lazy(load) }));

export function App() {
  if (!key.value) return <SignIn />;
  return (
    <Shell>
      <Caught key={place.value.path}>
        <Suspense fallback={<Loading />}>
          <Router hook={useHashPath}>
            <Switch>
              {VIEWS.map(({ path, View }) => (
                <Route key={path} path={path}>
                  {(params) => <View {...(params as Record<string, string>)} />}
                </Route>
              ))}
              <Route>
                <NotFound />
              </Route>
            </Switch>
          </Router>
        </Suspense>
      </Caught>
    </Shell>
  );
}

/** Shows an error of a view instead of an empty page. */
class Caught extends Component<{ children: ComponentChildren }, { error: unknown }> {
  override state = { error: undefined as unknown };

  static override getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override render() {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    return <ErrorNotice error={error} retry={() => location.reload()} />;
  }
}
