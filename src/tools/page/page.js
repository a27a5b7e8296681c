/* SPDX-License-Identifier: Apache-2.0 */
"use strict";
const tip = document.getElementById("tip");
for (const chart of document.querySelectorAll(".chart")) {
    const svg = chart.querySelector("svg"), mark = svg.querySelector(".mark");
    /* Where each point is drawn stands in the drawing; its values and notes in attributes, in the same order. */
    const curves = [...svg.querySelectorAll("[data-curve]")].map(node => {
        const path = node.querySelector("path");
        const places = path ? [...path.getAttribute("d").matchAll(/[ML]([-\d.]+),([-\d.]+)/g)].map(m => [+m[1], +m[2]])
            : [...node.querySelectorAll("circle")].map(c => [c.cx.baseVal.value, c.cy.baseVal.value]);
        /* Of a dot and a line at the same place, the dot is meant. */
        return {node, places, handicap: path ? 4 : 0, values: node.dataset.v.split(";"), notes: (node.dataset.n || "").split("|")};
    });
    [...chart.querySelectorAll(".legend button")].forEach((button, i) => button.addEventListener("click", () => {
        const isShown = curves[i].node.hasAttribute("hidden");
        curves[i].node.toggleAttribute("hidden", !isShown);
        button.setAttribute("aria-pressed", isShown);
    }));
    const leave = () => {
        tip.hidden = true;
        mark.setAttribute("visibility", "hidden");
    };
    svg.addEventListener("pointerleave", leave);
    svg.addEventListener("pointermove", event => {
        const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
        let best = null, nearest = 30;
        for (const curve of curves)
            if (!curve.node.hasAttribute("hidden"))
                curve.places.forEach(([x, y], i) => {
                    const distance = Math.hypot(x - at.x, y - at.y) + curve.handicap;
                    if (distance < nearest) {
                        nearest = distance;
                        best = [curve, i];
                    }
                });
        if (!best)
            return leave();
        const [curve, i] = best, [x, y] = curve.values[i].split(" ");
        tip.textContent = `${curve.node.dataset.curve}\n${svg.dataset.x}: ${x}\n${svg.dataset.y}: ${y}` +
            (curve.notes[i] ? "\n" + curve.notes[i] : "");
        tip.hidden = false;
        tip.style.left = Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8) + "px";
        tip.style.top = Math.min(event.clientY + 14, innerHeight - tip.offsetHeight - 8) + "px";
        mark.setAttribute("cx", curve.places[i][0]);
        mark.setAttribute("cy", curve.places[i][1]);
        mark.setAttribute("visibility", "visible");
    });
    svg.dataset.drawn = curves.filter(({node, places}) => {
        const box = node.getBBox();
        return places.length && places.flat().every(Number.isFinite) && box.width + box.height > 0;
    }).length;
}
