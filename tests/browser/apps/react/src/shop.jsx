import { lazy, Suspense, useEffect, useState } from "react";
import { Link, Navigate, NavLink, Outlet, Route, Routes } from "react-router";
import { Product, ProductList, Reviews } from "./products.jsx";

const About = lazy(() => import("./about.jsx"));

export function Shop() {
  return (
    <Routes>
      <Route element={<Frame />}>
        <Route index element={<Home />} />
        <Route path="products" element={<ProductList />} />
        <Route path="products/:id" element={<Product />}>
          <Route path="reviews" element={<Reviews />} />
        </Route>
        <Route
          path="about/*"
          element={
            <Suspense fallback={<p>Loading...</p>}>
              <About />
            </Suspense>
          }
        />
        <Route path="returns" element={<Text title="Returns" text="Goods can be returned within thirty days." />} />
        <Route path="basket" element={<Text title="Basket" text="The basket is empty." />} />
        <Route path="catalogue" element={<Navigate to="/products" replace />} />
        <Route path="*" element={<Text title="Not found" text="There is no page at this address." />} />
      </Route>
    </Routes>
  );
}

function Frame() {
  return (
    <>
      <header>
        <nav aria-label="Main">
          <NavLink to="/">Shop</NavLink> <NavLink to="/products">Products</NavLink> <NavLink to="/about">About</NavLink>
        </nav>
        <Menu />
      </header>
      <main>
        <Outlet />
      </main>
    </>
  );
}

// The link of the menu is in the document only while the menu is open.
function Menu() {
  const [open, setOpen] = useState(false);
  return (
    <div>
      <button aria-expanded={open} onClick={() => setOpen(!open)}>
        Service
      </button>
      {open && (
        <ul>
          <li>
            <Link to="/returns">Returns</Link>
          </li>
        </ul>
      )}
    </div>
  );
}

function Home() {
  return (
    <Text title="Shop" text="Furniture and lamps for the study.">
      <p>
        See the <Link to="/catalogue">catalogue</Link> of last year.
      </p>
    </Text>
  );
}

export function Text({ title, text, children }) {
  useEffect(() => {
    document.title = title;
  }, [title]);
  return (
    <>
      <h1>{title}</h1>
      <p>{text}</p>
      {children}
    </>
  );
}
